// Tables for resample_outer.cu: for each output sample of an axis the first input sample that it
// weighs, and the weights: those of all outputs for one tap after the other.
#include "weights.cuh"

struct Table {
    u64 first, weights;  // int (outputs,), and Work (taps, outputs)
    Axis axis;
};

extern "C" __global__ void resample_weights(const Table* tables, const float* curves) {
    const Table table = tables[blockIdx.y];
    const Axis& axis = table.axis;
    for (i64 i = first_element(); i < axis.outputs; i += element_step()) {
        const Weighed weighed(axis, curves, (int)i);
        ((int*)table.first)[i] = weighed.from;
        for (int t = 0; t < axis.taps; t++)
            ((Work*)table.weights)[(i64)t * axis.outputs + i] = weighed.weight(t);
    }
}
