// Sums of differences from an origin, and of their squares.
template <class T>
struct SumsOf {
    T differences, squares;

    __device__ void add(const SumsOf& other) {
        differences += other.differences;
        squares += other.squares;
    }
};
typedef SumsOf<double> Sums;

// The sums of one thread. For bytes, an int holds the squares of 33000 differences.
template <bool is_small>
struct Difference {
    typedef double type;
};
template <>
struct Difference<true> {
    typedef int type;
};
typedef Difference<sizeof(In) == 1 && sizeof(Origin) == 1 && sizeof(Index) == 4>::type Near;

__device__ inline void add(In number, Near origin, SumsOf<Near>& sums) {
    const Near difference = (Near)number - origin;
    sums.add({difference, difference * difference});
}

// Adds up `count` sums that belong to `columns` in turn. Every thread of the block must call this;
// the first threads get the results.
__device__ inline void add_rows(Sums* sums, int columns, int count) {
    __syncthreads();
    while (count > columns) {
        const int left = min(((count + columns - 1) / columns + 7) / 8 * columns, count);
        for (int i = threadIdx.x; i < left; i += blockDim.x) {
            Sums sum = sums[i];
            for (int k = i + left; k < count; k += left) sum.add(sums[k]);
            sums[i] = sum;
        }
        count = left;
        __syncthreads();
    }
}

// `scale` divided by the deviation.
__device__ inline Exact factor_of(double squares, i64 divisor, double scale, double epsilon) {
    const double variance = divisor > 0 ? squares / divisor : 0;
    const double deviation = sqrt(variance + epsilon);
    return (Exact)(deviation != 0 ? scale / deviation : 0);
}
