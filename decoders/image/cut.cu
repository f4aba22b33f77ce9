// Cuts windows out of whole images. A line of a window has `line` elements; lines of the image are
// `stride` elements apart.
extern "C" __global__ void cut(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const int elements = s.height * s.line;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
        int y = i / s.line;
        s.out[i] = s.source[(long long)y * s.stride + (i - y * s.line)];
    }
}
