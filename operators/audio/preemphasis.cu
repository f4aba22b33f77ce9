// Subtracts from each element the element before, times a factor. The element before the first one
// is element BORDER, or 0 if there is no such element.
#include "../kernels/common.cuh"

extern "C" __global__ void preemphasis(const Signal* samples) {
    const Signal s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 before = i ? i - 1 : BORDER;
        const Exact other = before >= 0 && before < s.elements ? (Exact)s.source[before] : (Exact)0;
        s.out[i] = saturated<Out>((Exact)s.source[i] - s.factor * other);
    }
}
