// Maps the colors of images: (pixels, FROM) to (pixels, TO), by a matrix (TO, FROM + 1) with the
// offsets in its last column. A thread computes TOGETHER neighboring pixels.
#include "../kernels/common.cuh"
#include "../kernels/lanes.cuh"

// Reads or writes CHANNELS * TOGETHER numbers as aligned packs if possible.
template <class T, int CHANNELS>
struct Group {
    typedef Pack<T, TOGETHER> Part;
    T values[CHANNELS * TOGETHER];

    __device__ static bool is_whole(const T* data, int pixels) {
        return pixels >= TOGETHER && (u64)data % sizeof(Part) == 0;
    }
    __device__ void read(const T* data, int pixels) {
        if (is_whole(data, pixels)) {
#pragma unroll
            for (int k = 0; k < CHANNELS; k++) {
                const Part part = ((const Part*)data)[k];
#pragma unroll
                for (int j = 0; j < TOGETHER; j++) values[k * TOGETHER + j] = part.values[j];
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < CHANNELS * TOGETHER; k++)
            values[k] = k < pixels * CHANNELS ? data[k] : (T)0;
    }
    __device__ void write(T* data, int pixels) const {
        if (is_whole(data, pixels)) {
#pragma unroll
            for (int k = 0; k < CHANNELS; k++) {
                Part part;
#pragma unroll
                for (int j = 0; j < TOGETHER; j++) part.values[j] = values[k * TOGETHER + j];
                ((Part*)data)[k] = part;
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < CHANNELS * TOGETHER; k++)
            if (k < pixels * CHANNELS) data[k] = values[k];
    }
};

extern "C" __global__ void color_map(const Image* images) {
    const Image s = images[blockIdx.y];
    const i64 groups = (s.pixels + TOGETHER - 1) / TOGETHER;
    for (i64 i = first_element(); i < groups; i += element_step()) {
        const int pixels = (int)min((i64)TOGETHER, s.pixels - i * TOGETHER);
        Group<In, FROM> given;
        Group<Out, TO> made;
        given.read(s.source + i * TOGETHER * FROM, pixels);
#pragma unroll
        for (int p = 0; p < TOGETHER; p++)
#pragma unroll
            for (int to = 0; to < TO; to++) {
                const float* factors = s.matrix + to * (FROM + 1);
                float sum = factors[FROM];
#pragma unroll
                for (int from = 0; from < FROM; from++)
                    sum += factors[from] * (float)given.values[p * FROM + from];
                made.values[p * TO + to] = saturated<Out>(sum);
            }
        made.write(s.out + i * TOGETHER * TO, pixels);
    }
}
