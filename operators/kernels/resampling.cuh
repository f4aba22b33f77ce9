// Common code of the resampling kernels. Work is the type of weights and sums.
#include "common.cuh"

// Converts a sum to type T: to the nearest value of T, with halves to even.
template <class T>
__device__ inline T stored(Work value) {
    if constexpr (Type<T>::kind == FLOATING) {
        return (T)value;
    } else if constexpr (sizeof(Work) == 4 && sizeof(T) <= 2) {
        const Work kept = fminf(fmaxf(value, (Work)Type<T>::least), (Work)Type<T>::most);
        return (T)__float_as_uint(kept + 12582912.0f);  // 1.5 * 2^23: the last bits are integers
    } else if constexpr (sizeof(Work) == 4) {
        return (T)min(max(__float2int_rn(value), (int)Type<T>::least), (int)Type<T>::most);
    } else {
        const Work whole = rint(value);
        if (!(whole > (Work)Type<T>::least)) return (T)Type<T>::least;
        return whole >= (Work)Type<T>::most ? (T)Type<T>::most : (T)whole;
    }
}
