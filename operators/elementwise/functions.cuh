// The functions of operators/elementwise/functions.py, as <name>_of. Expressions compute with
// float16 as float. Integers wrap around.

template <class T>
struct Work {  // the type in which numbers of type T are computed with
    typedef T type;
};
template <>
struct Work<half> {
    typedef float type;
};

// Converts a number to type T by C's rules: integers lose their upper bits.
template <class T, class S>
__device__ inline T converted(S value) {
    if constexpr (Type<T>::kind == FLOATING)
        return saturated<T>(value);
    else
        return (T)(typename Work<S>::type)value;
}

template <class T>
__device__ inline bool negative(T x) {
    if constexpr (Type<T>::kind == SIGNED)
        return x < 0;
    else
        return false;
}

#define PENSTOCK_SAME(name)                                              \
    template <class T>                                                   \
    __device__ inline T name##_of(T x) {                                 \
        return name(x);                                                  \
    }
PENSTOCK_SAME(fabs)
PENSTOCK_SAME(floor)
PENSTOCK_SAME(ceil)
PENSTOCK_SAME(sqrt)
PENSTOCK_SAME(cbrt)
PENSTOCK_SAME(exp)
PENSTOCK_SAME(log)
PENSTOCK_SAME(log2)
PENSTOCK_SAME(log10)
PENSTOCK_SAME(sin)
PENSTOCK_SAME(cos)
PENSTOCK_SAME(tan)
PENSTOCK_SAME(asin)
PENSTOCK_SAME(acos)
PENSTOCK_SAME(atan)
PENSTOCK_SAME(sinh)
PENSTOCK_SAME(cosh)
PENSTOCK_SAME(tanh)
PENSTOCK_SAME(asinh)
PENSTOCK_SAME(acosh)
PENSTOCK_SAME(atanh)

#define PENSTOCK_WRAPPING(name, operation)                               \
    template <class T>                                                   \
    __device__ inline T name##_of(T x, T y) {                            \
        if constexpr (Type<T>::kind == FLOATING)                         \
            return x operation y;                                        \
        else                                                             \
            return (T)((u64)x operation(u64) y);                         \
    }
PENSTOCK_WRAPPING(add, +)
PENSTOCK_WRAPPING(sub, -)
PENSTOCK_WRAPPING(mul, *)

#define PENSTOCK_BITWISE(name, operation)                                \
    template <class T>                                                   \
    __device__ inline T name##_of(T x, T y) {                            \
        return (T)(x operation y);                                       \
    }
PENSTOCK_BITWISE(and, &)
PENSTOCK_BITWISE(or, |)
PENSTOCK_BITWISE(xor, ^)

template <class T>
__device__ inline T same_of(T x) {
    return x;
}
template <class T>
__device__ inline T neg_of(T x) {
    if constexpr (Type<T>::kind == FLOATING)
        return -x;
    else
        return (T)(0 - (u64)x);
}
template <class T>
__device__ inline T abs_of(T x) {
    if constexpr (Type<T>::kind == FLOATING)
        return fabs(x);
    else
        return negative(x) ? neg_of(x) : x;
}
template <class T>
__device__ inline T invert_of(T x) {
    if constexpr (Type<T>::kind == BOOL)
        return !x;
    else
        return (T)~x;
}
template <class T>
__device__ inline T rsqrt_of(T x) {
    return 1 / (T)(As0)sqrt(x);  // rounded to float16 on the way, as NumPy does it
}

template <class T>
__device__ inline T truediv_of(T x, T y) {
    return x / y;
}
template <class T>
__device__ inline T floordiv_of(T x, T y) {
    if constexpr (Type<T>::kind == FLOATING) return x / y;
    if (y == 0) return 0;  // reported elsewhere
    if constexpr (Type<T>::kind == SIGNED)
        if (y == -1) return neg_of(x);
    return (T)(x / y);
}
template <class T>
__device__ inline T mod_of(T x, T y) {
    if constexpr (Type<T>::kind == FLOATING) {
        return fmod(x, y);
    } else {
        if (y == 0) return 0;
        if constexpr (Type<T>::kind == SIGNED)
            if (y == -1) return 0;
        return (T)(x % y);
    }
}
template <class T>
__device__ inline T fpow_of(T x, T y) {
    return pow(x, y);
}
template <class T>
__device__ inline T pow_of(T x, T y) {
    if constexpr (Type<T>::kind == FLOATING) {
        return pow(x, y);
    } else {
        if (negative(y)) return 0;
        u64 power = 1, factor = (u64)x;
        for (u64 rest = (u64)y; rest; rest >>= 1, factor *= factor)
            if (rest & 1) power *= factor;
        return (T)power;
    }
}
template <class T>
__device__ inline T atan2_of(T x, T y) {
    return atan2(x, y);
}
template <class T>
__device__ inline T min_of(T x, T y) {
    return x < y || x != x ? x : y;
}
template <class T>
__device__ inline T max_of(T x, T y) {
    return x > y || x != x ? x : y;
}
template <class T>
__device__ inline T clamp_of(T x, T low, T high) {
    return min_of(max_of(x, low), high);
}
template <class T>
__device__ inline T lshift_of(T x, T y) {
    return (u64)y < 8 * sizeof(T) ? (T)((u64)x << (u64)y) : (T)0;
}
template <class T>
__device__ inline T rshift_of(T x, T y) {
    return (u64)y < 8 * sizeof(T) ? (T)(x >> y) : (T)(negative(x) ? -1 : 0);
}

// Comparisons accept integers of different types, and compare their exact values.
template <class X, class Y>
__device__ inline bool lt_of(X x, Y y) {
    if constexpr (Type<X>::kind == SIGNED && Type<Y>::kind == UNSIGNED)
        return negative(x) || (u64)x < (u64)y;
    else if constexpr (Type<X>::kind == UNSIGNED && Type<Y>::kind == SIGNED)
        return !negative(y) && (u64)x < (u64)y;
    else
        return x < y;
}
template <class X, class Y>
__device__ inline bool eq_of(X x, Y y) {
    if constexpr (Type<X>::kind == FLOATING)
        return x == y;
    else
        return negative(x) == negative(y) && (u64)x == (u64)y;
}
template <class X, class Y>
__device__ inline bool gt_of(X x, Y y) {
    return lt_of(y, x);
}
template <class X, class Y>
__device__ inline bool le_of(X x, Y y) {
    return lt_of(x, y) || eq_of(x, y);
}
template <class X, class Y>
__device__ inline bool ge_of(X x, Y y) {
    return lt_of(y, x) || eq_of(x, y);
}
template <class X, class Y>
__device__ inline bool ne_of(X x, Y y) {
    return !eq_of(x, y);
}
