// Computes an expression element by element. FUNCTION has COUNT operands: numbers of the types In0,
// In1 and In2, converted to As0, As1 and As2. A thread computes LANES neighboring elements. The
// mode of an operand is NUMBER for a single number, REPEATED for an operand with its own strides,
// and otherwise the mode of the result. A single number is at its address or, if the address is 0,
// in the table.
#include "../kernels/common.cuh"

#if COUNT < 2
#define In1 In0
#define As1 As0
#endif
#if COUNT < 3
#define In2 In0
#define As2 As0
#endif
#include "functions.cuh"
#include "../kernels/lanes.cuh"

// Reads an operand's numbers.
template <class In, class As>
__device__ inline void load(
    const Sample& s, const Operand& operand, Lanes lanes, typename Work<As>::type* values) {
    const In* data = (const In*)operand.data;
    In read[LANES];
    if (operand.mode == NUMBER) {
        const In number = data ? *data : *(const In*)&operand.number;
#pragma unroll
        for (int j = 0; j < LANES; j++) read[j] = number;
    } else if (operand.mode == REPEATED) {
        Walk<DIMS> walk(s.extents, operand.strides, lanes.first + lanes.from);
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (!lanes.has(j)) continue;
            read[j] = data[walk.offset];
            walk.next();
        }
    } else {
        lanes.read(data, read);
    }
#pragma unroll
    for (int j = 0; j < LANES; j++)
        if (lanes.has(j)) values[j] = converted<As>(read[j]);
}

extern "C" __global__ void arithmetic(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    Out* out = s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements);
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const Lanes lanes = Lanes::number<Out, LANES>(out, s.elements, group);
        Work<As0>::type x[LANES];
        load<In0, As0>(s, s.operand0, lanes, x);
#if COUNT > 1
        Work<As1>::type y[LANES];
        load<In1, As1>(s, s.operand1, lanes, y);
#endif
#if COUNT > 2
        Work<As2>::type z[LANES];
        load<In2, As2>(s, s.operand2, lanes, z);
#endif
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (!lanes.has(j)) continue;
#if COUNT == 1
            results.values[j] = converted<Out>(FUNCTION(x[j]));
#elif COUNT == 2
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j]));
            if (s.zero_divisor && y[j] == 0) *s.zero_divisor = true;
#else
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j], z[j]));
#endif
        }
        lanes.write(out, results);
    }
}
