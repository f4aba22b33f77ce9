// Types and conversions of all kernels. Three rules let a host compiler emulate kernels. Data
// pointers come in tables, one struct a sample, which Python declares. Dynamic shared memory is
// named shared_memory, and there is no other shared memory. The only warp intrinsic is
// __shfl_down_sync, which all threads of a block call together.
#include <cuda_fp16.h>

typedef unsigned char u8;
typedef long long i64;
typedef unsigned long long u64;

// A type of 1 to 16 bytes, which are read and written together.
template <int bytes>
struct Bits;
template <>
struct Bits<1> {
    typedef unsigned char type;
};
template <>
struct Bits<2> {
    typedef unsigned short type;
};
template <>
struct Bits<4> {
    typedef unsigned type;
};
template <>
struct Bits<8> {
    typedef uint2 type;
};
template <>
struct Bits<16> {
    typedef uint4 type;
};

// This thread's first element of its sample, and the step to its next element.
__device__ inline i64 first_element() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline i64 element_step() { return (i64)gridDim.x * blockDim.x; }

// a / b of numbers that are not negative; most numbers are small.
__device__ inline i64 quotient(i64 a, i64 b) {
    return (a | b) >> 32 ? a / b : (unsigned)a / (unsigned)b;
}
__device__ inline int quotient(int a, int b) { return (unsigned)a / (unsigned)b; }

enum Kind { BOOL, SIGNED, UNSIGNED, FLOATING };

template <class T>
struct Type;
#define PENSTOCK_TYPE(name, the_kind, low, high)           \
    template <>                                            \
    struct Type<name> {                                    \
        static constexpr Kind kind = the_kind;             \
        static constexpr i64 least = low;                  \
        static constexpr u64 most = high;                  \
    };
PENSTOCK_TYPE(bool, BOOL, 0, 1)
PENSTOCK_TYPE(unsigned char, UNSIGNED, 0, 255)
PENSTOCK_TYPE(unsigned short, UNSIGNED, 0, 65535)
PENSTOCK_TYPE(unsigned int, UNSIGNED, 0, 4294967295u)
PENSTOCK_TYPE(unsigned long long, UNSIGNED, 0, 18446744073709551615ull)
PENSTOCK_TYPE(signed char, SIGNED, -128, 127)
PENSTOCK_TYPE(short, SIGNED, -32768, 32767)
PENSTOCK_TYPE(int, SIGNED, -2147483647 - 1, 2147483647)
PENSTOCK_TYPE(long long, SIGNED, -9223372036854775807ll - 1, 9223372036854775807ll)
PENSTOCK_TYPE(half, FLOATING, 0, 0)
PENSTOCK_TYPE(float, FLOATING, 0, 0)
PENSTOCK_TYPE(double, FLOATING, 0, 0)

template <class S>
struct Wide {  // the type in which floating point numbers of type S are converted
    typedef float type;
};
template <>
struct Wide<double> {
    typedef double type;
};

__device__ inline float rounded(float value) { return roundf(value); }
__device__ inline double rounded(double value) { return round(value); }

// Converts a number to type T like operators/elementwise/saturation.py: to the nearest value in the
// range of T, with halves away from zero. NaN becomes the lowest integer.
template <class T, class S>
__device__ inline T saturated(S value) {
    if constexpr (Type<T>::kind == FLOATING) {
        if constexpr (sizeof(T) == 2 && Type<S>::kind != FLOATING)
            return (T)(float)value;
        else
            return (T)value;
    } else if constexpr (Type<S>::kind == FLOATING) {
        typedef typename Wide<S>::type W;
        W wide = (W)value;
        if constexpr (Type<T>::kind == BOOL) return !(fabs(wide) < (W)0.5);
        W whole = rounded(wide);
        if (!(whole > (W)Type<T>::least)) return (T)Type<T>::least;
        if (whole >= (W)Type<T>::most) return (T)Type<T>::most;
        return (T)whole;
    } else if constexpr (Type<T>::kind == BOOL) {
        return value != 0;
    } else if constexpr (Type<S>::kind == SIGNED) {
        i64 wide = (i64)value;
        if (wide < Type<T>::least) return (T)Type<T>::least;
        if (wide > 0 && (u64)wide > Type<T>::most) return (T)Type<T>::most;
        return (T)wide;
    } else {
        u64 wide = (u64)value;
        return wide > Type<T>::most ? (T)Type<T>::most : (T)wide;
    }
}
