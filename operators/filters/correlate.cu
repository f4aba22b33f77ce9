// Weighs the elements of a window around each element.
#include "windows.cuh"

extern "C" __global__ void correlate(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const Exact fill = BORDER == CONSTANT && s.elements ? (Exact)*s.fill : 0;
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        Exact sum = 0;
        visit(s, i, [&](const In* element, int number) {
            sum += (Exact)s.weights[number] * (element ? (Exact)*element : fill);
        });
        s.out[i] = saturated<Out>(sum);
    }
}
