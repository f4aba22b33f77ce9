// The Huffman codes of JPEG. Source: ITU-T T.81, annexes C and F.
#include "jpeg.cuh"

#define LOOK 10  // bits of the codes that are looked up; longer ones are searched for
#define LONGEST 16

// What a code tells: its bits with those of the value that follows, the value's bits, and how many
// coefficients the symbol passes over, its own included; all that are left for an end of block.
struct Step {
    unsigned short packed;

    __device__ static Step of(int symbol, bool is_dc) {
        const int size = symbol & 15, run = symbol >> 4;
        const int passes = is_dc ? 1 : size || run == 15 ? run + 1 : BLOCK;
        return {(unsigned short)((passes - 1) << 9 | size << 5 | size)};
    }
    __device__ Step with_code(int length) const { return {(unsigned short)(packed + length)}; }

    __device__ int bits() const { return packed & 31; }
    __device__ int size() const { return packed >> 5 & 15; }
    __device__ int passes() const { return (packed >> 9 & 63) + 1; }
    __device__ bool is_unknown() const { return packed >> 15; }
};
#define UNKNOWN_CODE 0x8001

struct HuffmanTable {
    Step look[1 << LOOK];  // by the next bits; 0 for a longer code
    Step steps[256];  // by the number of the symbol, without the bits of its code
    int ends[LONGEST + 1];  // behind the codes of each length, as 16 bits
    int shift[LONGEST + 1];  // from a code of each length to the number of its symbol
    int symbols;

    // `bits` is not before the end of codes that are shorter than `length`.
    __device__ Step search(unsigned bits, int length) const {
        const int next = bits >> 16, first = length;
#pragma unroll
        for (int i = 1; i < LONGEST; i++) length += i >= first && next >= ends[i];
        if (next >= ends[length]) return {UNKNOWN_CODE};
        return steps[((next >> (LONGEST - length)) + shift[length]) & 255].with_code(length);
    }

    __device__ Step find(unsigned bits) const {
        const Step step = look[bits >> (32 - LOOK)];
        return step.packed ? step : search(bits, LOOK + 1);
    }

    // Computes the codes from the counts of each length; false if there are too many.
    __device__ bool begin(const u8* counts) {
        int code = 0;
        symbols = 0;
        for (int length = 1; length <= LONGEST; length++) {
            shift[length] = symbols - code;
            code += counts[length - 1], symbols += counts[length - 1];
            if (code > 1 << length) return false;
            ends[length] = code << (LONGEST - length);
            code <<= 1;
        }
        return true;
    }
};
