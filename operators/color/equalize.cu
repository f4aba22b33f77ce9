// Equalizes the histogram of planes of bytes, `step` apart, like OpenCV's equalizeHist. A block
// counts the levels of a plane, makes the table of results, and looks the results up.
#include "../kernels/common.cuh"

extern "C" __global__ void equalize(const Plane* planes) {
    extern __shared__ unsigned char shared_memory[];
    unsigned* const counts = (unsigned*)shared_memory;
    u8* const table = shared_memory + 256 * sizeof(unsigned);
    const Plane s = planes[blockIdx.x];
    for (int level = threadIdx.x; level < 256; level += blockDim.x) counts[level] = 0;
    __syncthreads();
    for (i64 i = threadIdx.x; i < s.pixels; i += blockDim.x)
        atomicAdd(&counts[s.source[i * s.step]], 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        int first = 0;
        while (first < 255 && counts[first] == 0) first++;
        const i64 rest = s.pixels - counts[first];
        const float scale = 255.0f / (float)rest;
        i64 sum = 0;
        for (int level = 0; level < 256; level++) {
            if (level > first) sum += counts[level];
            table[level] = rest ? (u8)min(__float2int_rn((float)sum * scale), 255) : first;
        }
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < s.pixels; i += blockDim.x)
        s.out[i * s.step] = table[s.source[i * s.step]];
}
