// Reduces samples along axes. `parts` reduces blocks of elements, `whole` joins the results of a
// statistic's blocks. The order is fixed, so every run gives the same numbers. Macros define the
// reduction: TERM of an element x and a mean, START, JOIN of a and b, and RESULT of the joined a
// and the count of elements.
#include "../kernels/common.cuh"

// Of a sample: `kept` and `kept_steps` are the extents and strides of the KEPT kept axes, `reduced`
// and `reduced_steps` those of the REDUCED reduced axes. `statistics` and `terms` are the products
// of these extents. `splits` blocks reduce `part` elements each.

template <class T>
__device__ inline T lesser(T a, T b) {
    return a < b || a != a ? a : b;
}
template <class T>
__device__ inline T greater(T a, T b) {
    return a > b || a != a ? a : b;
}

template <int AXES>
__device__ inline i64 offset_of(i64 number, const i64 (&extents)[AXES], const i64 (&steps)[AXES]) {
    i64 offset = 0;
#pragma unroll
    for (int d = AXES - 1; d > 0; d--) {
        const i64 rest = quotient(number, extents[d]);
        offset += (number - rest * extents[d]) * steps[d];
        number = rest;
    }
    return offset + number * steps[0];
}

// Block (x, i) works on sample i. Its threads reduce `blockDim.x / lanes` neighboring statistics.
extern "C" __global__ void parts(const Reduced* samples, int lanes) {
    extern __shared__ unsigned char shared_memory[];
    Acc* const shared = (Acc*)shared_memory;
    const Reduced& s = samples[blockIdx.y];
    const int columns = blockDim.x / lanes;
    const int lane = LAST_REDUCED ? threadIdx.x % lanes : threadIdx.x / columns;
    const int column = LAST_REDUCED ? threadIdx.x / lanes : threadIdx.x % columns;
    const i64 items = (s.statistics + columns - 1) / columns * s.splits;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        const i64 chunk = quotient(item, s.splits), split = item - chunk * s.splits;
        const i64 statistic = chunk * columns + column;
        Acc a = START;
        if (statistic < s.statistics) {
            const In* data = s.source + offset_of(statistic, s.kept, s.kept_steps);
            const i64 end = min((split + 1) * s.part, s.terms);
#ifdef MEAN
            const double mean = (double)s.mean[statistic * s.mean_step];
#endif
            for (i64 i = split * s.part + lane; i < end; i += lanes) {
                const In x = data[offset_of(i, s.reduced, s.reduced_steps)];
                const Acc b = TERM;
                a = JOIN;
            }
        }
        shared[lane * columns + column] = a;
        __syncthreads();
        for (int half = lanes / 2; half > 0; half /= 2) {
            if (lane < half) {
                const Acc b = shared[(lane + half) * columns + column];
                a = JOIN;
                shared[lane * columns + column] = a;
            }
            __syncthreads();
        }
        if (lane == 0 && statistic < s.statistics)
            ((Acc*)s.partial)[split * s.statistics + statistic] = a;
    }
}

extern "C" __global__ void whole(const Reduced* samples) {
    const Reduced& s = samples[blockIdx.y];
    const double count = s.divisor;
    for (i64 i = first_element(); i < s.statistics; i += element_step()) {
        Acc a = START;
        for (i64 split = 0; split < s.splits; split++) {
            const Acc b = ((const Acc*)s.partial)[split * s.statistics + i];
            a = JOIN;
        }
        s.out[i] = saturated<Out>(RESULT);
    }
}
