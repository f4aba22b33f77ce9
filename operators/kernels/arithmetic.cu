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

enum Mode : i64 { NUMBER, WHOLE, REPEATED };

struct Operand {
    u64 data;    // address, or 0 for a NUMBER that stands here:
    u64 number;
    Mode mode;   // one number, an element for each of the result, or whatever the strides say
    i64 strides[DIMS + 1];
};

struct Sample {
    u64 out;
    u64 zero_divisor;  // address of a byte that is set if the last operand has a 0; or 0
    i64 elements;
    i64 extents[DIMS + 1];
    Operand operands[COUNT];
};

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T values[N];
};

__device__ constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int LANES =
    16 / larger(larger(sizeof(In0), sizeof(In1)), larger(sizeof(In2), sizeof(Out)));

// Gets the operand's numbers for the elements first + from to first + to - 1 of the result.
template <class In, class As>
__device__ inline void load(
    const Sample& s, const Operand& operand, i64 first, int from, int to,
    typename Work<As>::type* values) {
    const In* data = (const In*)operand.data;
    if (operand.mode == NUMBER) {
        const In number = data ? *data : *(const In*)&operand.number;
#pragma unroll
        for (int j = 0; j < LANES; j++) values[j] = converted<As>(number);
        return;
    }
#if DIMS
    if (operand.mode == REPEATED) {
        i64 at[DIMS], rest = first + from, offset = 0;
#pragma unroll
        for (int d = DIMS - 1; d >= 0; d--) {
            i64 next = rest / s.extents[d];
            at[d] = rest - next * s.extents[d];
            offset += at[d] * operand.strides[d];
            rest = next;
        }
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (j < from || j >= to) continue;
            values[j] = converted<As>(data[offset]);
#pragma unroll
            for (int d = DIMS - 1; d >= 0; d--) {
                offset += operand.strides[d];
                if (++at[d] < s.extents[d]) break;
                at[d] = 0;
                offset -= s.extents[d] * operand.strides[d];
            }
        }
        return;
    }
#endif
    if (from == 0 && to == LANES && (u64)(data + first) % sizeof(Pack<In, LANES>) == 0) {
        const Pack<In, LANES> pack = *(const Pack<In, LANES>*)(data + first);
#pragma unroll
        for (int j = 0; j < LANES; j++) values[j] = converted<As>(pack.values[j]);
        return;
    }
#pragma unroll
    for (int j = 0; j < LANES; j++)
        if (j >= from && j < to) values[j] = converted<As>(data[first + j]);
}

extern "C" __global__ void arithmetic(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    Out* out = (Out*)s.out;
    // Groups of lanes begin at multiples of their size in memory, so the first may lack some.
    const int lacking = s.out / sizeof(Out) % LANES;
    const i64 groups = (s.elements + lacking + LANES - 1) / LANES;
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const i64 first = group * LANES - lacking;
        const int from = first < 0 ? -first : 0;
        const int to = s.elements - first < LANES ? s.elements - first : LANES;
        Work<As0>::type x[LANES];
        load<In0, As0>(s, s.operands[0], first, from, to, x);
#if COUNT > 1
        Work<As1>::type y[LANES];
        load<In1, As1>(s, s.operands[1], first, from, to, y);
#endif
#if COUNT > 2
        Work<As2>::type z[LANES];
        load<In2, As2>(s, s.operands[2], first, from, to, z);
#endif
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (j < from || j >= to) continue;
#if COUNT == 1
            results.values[j] = converted<Out>(FUNCTION(x[j]));
#elif COUNT == 2
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j]));
            if (s.zero_divisor && y[j] == 0) *(bool*)s.zero_divisor = true;
#else
            results.values[j] = converted<Out>(FUNCTION(x[j], y[j], z[j]));
#endif
        }
        if (from == 0 && to == LANES) {
            *(Pack<Out, LANES>*)(out + first) = results;
        } else {
#pragma unroll
            for (int j = 0; j < LANES; j++)
                if (j >= from && j < to) out[first + j] = results.values[j];
        }
    }
}
