// Computes EXPRESSION of the elements x, y and z of INPUTS inputs of one shape, of their number i,
// and of SCALARS numbers of the sample. x, y and z have the types of the inputs; float16 is
// computed as float. The result is converted to Out. With a single input, a thread reads PACKS
// packs of LANES elements before it writes.
#include "../kernels/common.cuh"
#include "../kernels/lanes.cuh"
#include "../kernels/random.cuh"

template <class T>
__device__ inline T widened(T value) {
    return value;
}
__device__ inline float widened(half value) { return (float)value; }

#if INPUTS == 1
__device__ inline Out computed(const Sample& s, i64 i, In0 x_stored) {
    const auto x = widened(x_stored);
    SCALARS
    return saturated<Out>(EXPRESSION);
}

extern "C" __global__ void pointwise(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    each_pack<LANES, PACKS, false>(
        s.input0, s.out, s.elements, blockIdx.x, element_step() * LANES, [&](i64, const auto&) {
            return [&](i64 place, const auto& numbers, auto& results) {
#pragma unroll
                for (int j = 0; j < sizeof(results) / sizeof(Out); j++)
                    results.values[j] = computed(s, place + j, numbers.values[j]);
            };
        });
}
#else
#if INPUTS < 3
typedef In0 In2;
#endif

__device__ inline Out computed(
    const Sample& s, i64 i, In0 x_stored, In1 y_stored, In2 z_stored) {
    const auto x = widened(x_stored);
    const auto y = widened(y_stored);
    const auto z = widened(z_stored);
    SCALARS
    return saturated<Out>(EXPRESSION);
}

extern "C" __global__ void pointwise(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const i64 groups = Lanes::count<Out, LANES>(s.out, s.elements);
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const Lanes lanes = Lanes::number<Out, LANES>(s.out, s.elements, group);
        In0 x[LANES];
        In1 y[LANES];
        In2 z[LANES] = {};
        lanes.read(s.input0, x);
        lanes.read(s.input1, y);
#if INPUTS > 2
        lanes.read(s.input2, z);
#endif
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++)
            if (lanes.has(j)) results.values[j] = computed(s, lanes.first + j, x[j], y[j], z[j]);
        lanes.write(s.out, results);
    }
}
#endif
