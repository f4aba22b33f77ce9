// Neighbouring elements that one thread handles together, and operands that are broadcast.

// How many elements a thread handles at once, by the size of the largest type.
__device__ constexpr int lanes_of(int bytes) { return bytes == 1 ? 8 : 16 / bytes; }

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T values[N];
};

// Elements first + from to first + to - 1 of a row: a pack, or what the row has of one. Packs begin
// at multiples of their size in the memory of the result, so that is where they are cut.
struct Lanes {
    i64 first;
    int from, to;

    template <class T, int N>
    __device__ static i64 count(const T* out, i64 elements) {
        return (elements + (u64)out / sizeof(T) % N + N - 1) / N;
    }
    template <class T, int N>
    __device__ static Lanes number(const T* out, i64 elements, i64 group) {
        const i64 first = group * N - (i64)((u64)out / sizeof(T) % N), left = elements - first;
        return {first, first < 0 ? (int)-first : 0, left < N ? (int)left : N};
    }
    __device__ bool has(int lane) const { return from <= lane && lane < to; }

    template <class T, int N>
    __device__ void read(const T* data, T (&values)[N]) const {
        if (from == 0 && to == N && (u64)(data + first) % sizeof(Pack<T, N>) == 0) {
            const Pack<T, N> pack = *(const Pack<T, N>*)(data + first);
#pragma unroll
            for (int j = 0; j < N; j++) values[j] = pack.values[j];
            return;
        }
#pragma unroll
        for (int j = 0; j < N; j++)
            if (has(j)) values[j] = data[first + j];
    }
    template <class T, int N>
    __device__ void write(T* out, const Pack<T, N>& pack) const {
        if (from == 0 && to == N) {
            *(Pack<T, N>*)(out + first) = pack;
            return;
        }
#pragma unroll
        for (int j = 0; j < N; j++)
            if (has(j)) out[first + j] = pack.values[j];
    }
};

// Where the elements of a row meet those of an operand, whose strides are 0 where it is repeated.
template <int N>
struct Walk {
    const i64 *extents, *strides;
    i64 at[N], offset;

    __device__ Walk(const i64 (&extents)[N], const i64 (&strides)[N], i64 position)
        : extents(extents), strides(strides), offset(0) {
#pragma unroll
        for (int d = N - 1; d >= 0; d--) {
            const i64 rest = d ? quotient(position, extents[d]) : 0;
            at[d] = position - rest * extents[d];
            offset += at[d] * strides[d];
            position = rest;
        }
    }
    __device__ void next() {
#pragma unroll
        for (int d = N - 1; d >= 0; d--) {
            offset += strides[d];
            if (++at[d] < extents[d]) break;
            at[d] = 0;
            offset -= extents[d] * strides[d];
        }
    }
};
