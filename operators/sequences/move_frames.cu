// Copies frames of videos: a struct is a frame, whose bytes stay together.
#include "../kernels/common.cuh"

// Copies as many units as fit into the frame, and returns the bytes that they have.
template <int unit>
__device__ inline i64 copy_units(const Sample& s) {
    typedef typename Bits<unit>::type T;
    const i64 count = s.bytes / unit;
    for (i64 i = first_element(); i < count; i += element_step())
        ((T*)s.out)[i] = ((const T*)s.source)[i];
    return count * unit;
}

extern "C" __global__ void move_frames(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const u64 bits = (u64)s.source | (u64)s.out;
    const i64 done = bits % 16 == 0 ? copy_units<16>(s) : bits % 4 == 0 ? copy_units<4>(s) : 0;
    for (i64 i = done + first_element(); i < s.bytes; i += element_step()) s.out[i] = s.source[i];
}
