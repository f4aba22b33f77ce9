// Finds the median of a window around each element, bit by bit: for each bit, from the highest on, it
// counts the elements that have all bits found so far, and then a 0.
#include "windows.cuh"

const int BITS = 8 * sizeof(In);

// A number whose order is that of the elements.
__device__ inline u64 key_of(const In* element) {
    u64 bits = 0;
    memcpy(&bits, element, sizeof(In));
    const u64 top = 1ull << (BITS - 1);
    if (Type<In>::kind == SIGNED) return bits ^ top;
    if (Type<In>::kind != FLOATING) return bits;
    return bits & top ? ~bits & (top | (top - 1)) : bits | top;
}

__device__ inline void store(In* out, u64 key) {
    const u64 top = 1ull << (BITS - 1);
    if (Type<In>::kind == SIGNED) key ^= top;
    if (Type<In>::kind == FLOATING) key = key & top ? key ^ top : ~key;
    memcpy(out, &key, sizeof(In));
}

extern "C" __global__ void medians(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        int rank = s.window[0] * s.window[1] * s.window[2] / 2;  // of the median among what is left
        u64 found = 0;
        for (int bit = BITS - 1; bit >= 0; bit--) {
            int zeros = 0;
            visit(s, i, [&](const In* element, int) {
                zeros += key_of(element) >> bit == found >> bit;
            });
            if (rank < zeros) continue;
            rank -= zeros;
            found |= 1ull << bit;
        }
        store(s.out + i, found);
    }
}
