// Finds the LARGEST or the smallest element of a window around each element.
#include "windows.cuh"

extern "C" __global__ void extremes(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const In* found = nullptr;
        visit(s, i, [&](const In* element, int) {
            if (!element) return;
            if (!found || (LARGEST ? *found < *element : *element < *found)) found = element;
        });
        s.out[i] = *found;
    }
}
