// Computes an expression element by element. FUNCTION takes COUNT operands: numbers of the types
// In0, In1 and In2, converted to As0, As1 and As2. A thread computes LANES neighbouring elements.
#include "common.cuh"

#if COUNT < 2
#define In1 In0
#define As1 As0
#endif
#if COUNT < 3
#define In2 In0
#define As2 As0
#endif
#include "functions.cuh"
#include "lanes.cuh"

enum Mode : i64 { NUMBER, WHOLE, REPEATED };

struct Operand {
    u64 data;    // address, or 0 for a NUMBER that stands here:
    u64 number;
    Mode mode;   // one number, an element for each of the result, or whatever the strides say
    i64 strides[DIMS];
};

struct Sample {
    u64 out;
    u64 zero_divisor;  // address of a byte that is set if the last operand has a 0; or 0
    i64 elements;
    i64 extents[DIMS];
    Operand operands[COUNT];
};

__device__ constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int LARGEST = larger(larger(sizeof(In0), sizeof(In1)), larger(sizeof(In2), sizeof(Out)));
constexpr int LANES = lanes_of(LARGEST);

// Gets an operand's numbers.
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
    Out* out = (Out*)s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements);
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const Lanes lanes = Lanes::number<Out, LANES>(out, s.elements, group);
        Work<As0>::type x[LANES];
        load<In0, As0>(s, s.operands[0], lanes, x);
#if COUNT > 1
        Work<As1>::type y[LANES];
        load<In1, As1>(s, s.operands[1], lanes, y);
#endif
#if COUNT > 2
        Work<As2>::type z[LANES];
        load<In2, As2>(s, s.operands[2], lanes, z);
#endif
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (!lanes.has(j)) continue;
#if COUNT == 1
            results.values[j] = converted<Out>(FUNCTION(x[j]));
#elif COUNT == 2
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j]));
            if (s.zero_divisor && y[j] == 0) *(bool*)s.zero_divisor = true;
#else
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j], z[j]));
#endif
        }
        lanes.write(out, results);
    }
}
