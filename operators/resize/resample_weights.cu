// Tables for resample_outer.cu: for each output sample of an axis the first input sample that it
// weighs (outputs,), and the weights (taps, outputs).
#include "weights.cuh"

extern "C" __global__ void resample_weights(const WeightTable* tables, const float* curves) {
    const WeightTable table = tables[blockIdx.y];
    const Axis& axis = table.axis;
    for (i64 i = first_element(); i < axis.outputs; i += element_step()) {
        const Weighed weighed(axis, curves, (int)i);
        table.first[i] = weighed.from;
        for (int t = 0; t < axis.taps; t++)
            table.weights[(i64)t * axis.outputs + i] = weighed.weight(t);
    }
}
