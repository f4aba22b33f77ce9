// Neighboring elements that one thread processes together, and operands that are broadcast.

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T values[N];
};

// Elements first + from to first + to - 1 of a row: a pack, or the elements of a pack inside the
// row. Packs are aligned to multiples of their size in the memory of the result.
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

// Packs stay in registers as `Bits`.
template <class To, class From>
__device__ inline To same_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    memcpy(&to, &from, sizeof(to));
    return to;
}

// The elements before a row's first whole pack, and after the last whole pack.
template <int N, class I>
struct Ends {
    I elements, front, count;

    template <class T>
    __device__ Ends(const T* out, I elements) : elements(elements) {
        front = min((I)((N - (u64)out / sizeof(T) % N) % N), elements);
        count = front + (elements - front) % N;
    }
    __device__ I place(I number) const {
        return number < front ? number : elements - count + number;
    }
};

// Computes one block's part of a row from another row. A thread's packs lie `step` apart, a
// multiple of N and at most the elements that all threads process. Each thread calls `begin(first,
// each)` once, after the reads of its first ROUNDS packs, from index `first` on, have started.
// `each(visit)` passes these packs to `visit`; ONCE means that there are no other packs. `begin`
// returns `compute(place, numbers, results)`, which computes the results of neighboring numbers
// from an index on, for packs of N or of one.
template <int N, int ROUNDS, bool ONCE, class I, class S, class T, class Begin>
__device__ inline void each_pack(
    const S* in, T* out, I elements, int block, I step, const Begin& begin) {
    const int before = (u64)out / sizeof(T) % N;  // elements behind a pack's begin
    const bool aligned = ((u64)in / sizeof(S) + N - before) % N == 0;
    const I number = ((I)block * blockDim.x + threadIdx.x) * N;
    I at = number < step ? number - before : elements;
    typedef typename Bits<sizeof(Pack<S, N>)>::type Read;
    Read packs[ROUNDS];
    const I whole = max(elements - N + 1, (I)0);
    const auto is_whole = [&](I place) { return place >= 0 && place < whole; };
    const auto read = [&] {
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            const S* from = in + at + r * step;
            if (!is_whole(at + r * step)) continue;
            if (aligned) {
                packs[r] = *(const Read*)from;
                continue;
            }
            Pack<S, N> numbers;
#pragma unroll
            for (int j = 0; j < N; j++) numbers.values[j] = from[j];
            packs[r] = same_bits<Read>(numbers);
        }
    };
    const auto each = [&](const auto& visit) {
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (is_whole(at + r * step)) visit(at + r * step, same_bits<Pack<S, N>>(packs[r]));
    };
    read();
    const auto compute = begin(at, each);
    do {
        each([&](I place, const Pack<S, N>& numbers) {
            Pack<T, N> results;
            compute(place, numbers, results);
            *(Pack<T, N>*)(out + place) = results;
        });
        at += ROUNDS * step;
        if (!ONCE && at < elements) read();
    } while (!ONCE && at < elements);
    const Ends<N, I> ends(out, elements);
    if (block == 0 && threadIdx.x < ends.count) {
        const I place = ends.place(threadIdx.x);
        const Pack<S, 1> number = {in[place]};
        Pack<T, 1> result;
        compute(place, number, result);
        out[place] = result.values[0];
    }
}

// Maps indices of a row to elements of an operand, whose strides are 0 on repeated axes. I is wide
// enough for every index of the row.
template <int N, class I = i64>
struct Walk {
    const i64 *extents, *strides;
    I at[N], offset;

    __device__ Walk(const i64 (&extents)[N], const i64 (&strides)[N], I position)
        : extents(extents), strides(strides), offset(0) {
#pragma unroll
        for (int d = N - 1; d >= 0; d--) {
            const I rest = d ? (I)quotient(position, (I)extents[d]) : 0;
            at[d] = position - rest * (I)extents[d];
            offset += at[d] * (I)strides[d];
            position = rest;
        }
    }
    __device__ void next() {
#pragma unroll
        for (int d = N - 1; d >= 0; d--) {
            offset += (I)strides[d];
            if (++at[d] < (I)extents[d]) break;
            at[d] = 0;
            offset -= (I)extents[d] * (I)strides[d];
        }
    }
};
