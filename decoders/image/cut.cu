// Cuts windows out of whole images, which lie in the memory of the GPU or of the host. A line of a
// window has `line` bytes; lines of the image are `stride` bytes apart.
//
// A thread loads an aligned word of 16 bytes, and eight threads an aligned group of 128 bytes, a line
// of the GPU's cache: small reads over the bus would take longer. `words` is the number of words in
// the groups that a line of the window touches at most. Words at its ends have bytes of neighbors,
// which are left out. No word lies in two pages, so a page without bytes of the window is not read.
struct Bytes {
    unsigned long long low, high;
};

static __device__ __forceinline__ void drop(Bytes& bytes, int count) {
    if (count >= 8) {
        bytes.low = bytes.high;
        bytes.high = 0;
        count -= 8;
    }
    if (count) {
        bytes.low = bytes.low >> 8 * count | bytes.high << (64 - 8 * count);
        bytes.high >>= 8 * count;
    }
}

extern "C" __global__ void cut(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const int words = s.height * s.words;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        const int y = i / s.words;
        const unsigned char* line = s.source + (long long)y * s.stride;
        // The bytes of the line that the word begins with and ends before.
        const int start = (i - y * s.words) * 16 - (int)((size_t)line % 128);
        const int first = max(start, 0), end = min(start + 16, s.line);
        if (first >= end) continue;
        const uint4 word = *(const uint4*)(line + start);
        Bytes bytes = {word.x | (unsigned long long)word.y << 32, word.z | (unsigned long long)word.w << 32};
        drop(bytes, first - start);
        unsigned char* out = s.out + (long long)y * s.line + first;
        unsigned char* const out_end = out + (end - first);
        for (; out < out_end && (size_t)out % 4; drop(bytes, 1)) *out++ = (unsigned char)bytes.low;
        for (; out + 4 <= out_end; out += 4, drop(bytes, 4)) *(unsigned*)out = (unsigned)bytes.low;
        for (; out < out_end; drop(bytes, 1)) *out++ = (unsigned char)bytes.low;
    }
}
