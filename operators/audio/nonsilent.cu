// The region of a signal without leading and trailing silence. Sections of `window` samples divide a
// signal. `sums` has 2 * samples numbers: for each sample the sum of squares from the start of its
// section to the sample, and then for each sample the sum from the sample to the end of its section.
#include "../kernels/common.cuh"

__device__ inline double square_at(const Signal& s, i64 at) {
    const double value = (double)s.source[at];
    return value * value;
}

// Sums along a section, in both directions. Each thread adds up neighboring squares; scans of these
// sums give the sums of all threads before and behind. `shared` has 4 numbers a thread.
__device__ inline void sum_section(const Signal& s, i64 first, i64 count, double* shared) {
    const int threads = blockDim.x, thread = threadIdx.x;
    const i64 each = quotient(count + threads - 1, (i64)threads);
    const i64 start = first + min(thread * each, count), end = min(start + each, first + count);
    double own = 0;
    for (i64 at = start; at < end; at++) own += square_at(s, at);
    double *forward = shared, *backward = shared + 2 * threads;
    forward[thread] = backward[thread] = own;
    __syncthreads();
    int turn = 0;
    for (int step = 1; step < threads; step *= 2, turn = threads - turn) {
        const double before = thread >= step ? forward[turn + thread - step] : 0;
        const double behind = thread + step < threads ? backward[turn + thread + step] : 0;
        forward[threads - turn + thread] = forward[turn + thread] + before;
        backward[threads - turn + thread] = backward[turn + thread] + behind;
        __syncthreads();
    }
    double sum = thread ? forward[turn + thread - 1] : 0;
    for (i64 at = start; at < end; at++) s.sums[at] = sum += square_at(s, at);
    sum = thread + 1 < threads ? backward[turn + thread + 1] : 0;
    for (i64 at = end; at-- > start;) s.sums[s.samples + at] = sum += square_at(s, at);
    __syncthreads();
}

// Sums along a short section, in both directions, by one thread.
__device__ inline void sum_short_section(const Signal& s, i64 first, i64 count) {
    double forward = 0, backward = 0;
    for (i64 i = 0; i < count; i++) {
        const i64 mirror = first + count - 1 - i;
        s.sums[first + i] = forward += square_at(s, first + i);
        s.sums[s.samples + mirror] = backward += square_at(s, mirror);
    }
}

// Each block sums the sections of a signal in turn; if sections are short, each thread.
extern "C" __global__ void sum_sections(const Signal* samples) {
    extern __shared__ unsigned char shared_memory[];
    const Signal s = samples[blockIdx.y];
    if (s.window <= SHORT) {
        const i64 step = element_step() * s.window;
        for (i64 first = first_element() * s.window; first < s.samples; first += step)
            sum_short_section(s, first, min(s.window, s.samples - first));
        return;
    }
    for (i64 first = blockIdx.x * s.window; first < s.samples; first += gridDim.x * s.window) {
        sum_section(s, first, min(s.window, s.samples - first), (double*)shared_memory);
    }
}

// The sum of squares of the window that ends with sample i.
__device__ inline double window_sum(const Signal& s, i64 i) {
    const i64 first = i - s.window + 1;
    const bool two_parts = first > 0 && (i + 1) % s.window;
    return s.sums[i] + (two_parts ? s.sums[s.samples + first] : 0);
}

template <class T, class Join>
__device__ inline T joined(T own, T* all, const Join& join) {
    all[threadIdx.x] = own;
    for (unsigned half_size = blockDim.x / 2; half_size; half_size /= 2) {
        __syncthreads();
        if (threadIdx.x < half_size)
            all[threadIdx.x] = join(all[threadIdx.x], all[threadIdx.x + half_size]);
    }
    __syncthreads();
    const T result = all[0];
    __syncthreads();
    return result;
}

// One block searches a signal.
extern "C" __global__ void search_region(const Signal* samples, double ratio) {
    extern __shared__ unsigned char shared_memory[];
    const Signal s = samples[blockIdx.y];
    double reference = s.reference;
    if (reference == 0) {
        double own = 0;
        for (i64 i = threadIdx.x; i < s.samples; i += blockDim.x) own = fmax(own, window_sum(s, i));
        const auto larger = [](double a, double b) { return fmax(a, b); };
        reference = joined(own, (double*)shared_memory, larger);
    }
    const double least = reference * ratio;
    i64 first = s.samples, last = -1;
    for (i64 i = threadIdx.x; i < s.samples; i += blockDim.x)
        if (window_sum(s, i) >= least) {
            first = min(first, i);
            last = i;
        }
    first = joined(first, (i64*)shared_memory, [](i64 a, i64 b) { return min(a, b); });
    last = joined(last, (i64*)shared_memory, [](i64 a, i64 b) { return max(a, b); });
    if (threadIdx.x) return;
    const i64 start = last < 0 ? 0 : max(first - s.window + 1, (i64)0);
    *s.start = (int)start;
    *s.length = (int)(last < 0 ? 0 : last + 1 - start);
}
