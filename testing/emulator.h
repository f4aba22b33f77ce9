// Runs one CUDA kernel on the host: each block's threads one after the other, or as fibers where
// the kernel synchronises them.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

template <class T> static inline T max(T a, T b) { return a < b ? b : a; }
template <class T> static inline T min(T a, T b) { return b < a ? b : a; }

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __shared__
#define __launch_bounds__(...)
#define __constant__ static const

struct dim3 {
    unsigned x, y, z;
};
struct uint4 { unsigned x, y, z, w; };
struct uint2 { unsigned x, y; };
struct float4 { float x, y, z, w; };
struct float2 { float x, y; };
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline float2 make_float2(float x, float y) { return {x, y}; }
static dim3 gridDim, blockDim, blockIdx, threadIdx;
alignas(128) static unsigned char shared_memory_of_block[232448];
#define shared_memory shared_memory_of_block

typedef float four_floats __attribute__((vector_size(16)));
typedef short eight_shorts __attribute__((vector_size(16)));
struct half {
    unsigned short bits;
    half() = default;
    half(float value) : bits(__builtin_ia32_vcvtps2ph(four_floats{value, 0, 0, 0}, 0)[0]) {}
    half(double value) {  // rounded once
        const _Float16 nearest = (_Float16)value;
        memcpy(&bits, &nearest, sizeof bits);
    }
    half(int value) : half((float)value) {}
    operator float() const { return __builtin_ia32_vcvtph2ps(eight_shorts{(short)bits})[0]; }
};
static inline half __float2half(float value) { return half(value); }
static inline float __half2float(half value) { return value; }
template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T atomicAdd(T* to, T value) { T old = *to; *to = old + value; return old; }
template <class T> static inline T atomicMax(T* to, T value) { T old = *to; *to = max(old, value); return old; }
template <class T> static inline T atomicMin(T* to, T value) { T old = *to; *to = min(old, value); return old; }
static inline int __popc(unsigned a) { return __builtin_popcount(a); }
static inline int __clz(int a) { return a ? __builtin_clz(a) : 32; }
static inline int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float rsqrt(float a) { return 1.0f / sqrtf(a); }
static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __float2int_rn(float a) { return (int)rintf(a); }
// Two weights of 16 bits times two bytes; all with or all without a sign.
static inline int __dp2a_lo(int w, int b, int sum) {
    return sum + (int16_t)w * (int8_t)b + (w >> 16) * (int8_t)(b >> 8);
}
static inline unsigned __dp2a_lo(unsigned w, unsigned b, unsigned sum) {
    return sum + (uint16_t)w * (uint8_t)b + (w >> 16) * (uint8_t)(b >> 8);
}
template <class T> static inline T __dp2a_hi(T w, T b, T sum) { return __dp2a_lo(w, b >> 16, sum); }
// Four bytes times four bytes.
static inline int __dp4a(int a, int b, int sum) {
    for (int i = 0; i < 32; i += 8) sum += (int8_t)(a >> i) * (int8_t)(b >> i);
    return sum;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int i = 0; i < 32; i += 8) sum += (uint8_t)(a >> i) * (uint8_t)(b >> i);
    return sum;
}
static inline void __threadfence() {}
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline void __stcs(T* p, T value) { *p = value; }
static inline float __uint_as_float(unsigned a) { float f; memcpy(&f, &a, 4); return f; }
static inline double __longlong_as_double(long long a) { double d; memcpy(&d, &a, 8); return d; }
static inline unsigned __float_as_uint(float a) { unsigned u; memcpy(&u, &a, 4); return u; }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((uint64_t)high << 32) | low) >> (shift & 31));
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((((uint64_t)high << 32) | low) << (shift & 31)) >> 32);
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    uint64_t both = ((uint64_t)b << 32) | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)((both >> (8 * ((selector >> (4 * i)) & 7))) & 255) << (8 * i);
    return result;
}

static const unsigned MOST_THREADS = 1024, MOST_WAITING = 16;
static const size_t STACK = 64 * 1024 + 192;  // so that the stacks share no lines of the cache
struct Fibers {  // of one block; their stack pointers, where they are not running
    void *scheduler, *threads[MOST_THREADS];
    char finished[MOST_THREADS], sleeping[MOST_THREADS], *stacks;
};
static Fibers fibers_of_blocks[MOST_WAITING], *fibers = fibers_of_blocks;
static unsigned current;

// Leave one stack, and go on where another one was left. `swapcontext` does more: it asks the
// operating system for the mask of signals.
__attribute__((naked, noinline)) static void swap_stacks(void** left, void* entered) {
    asm("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15;"
        "mov %rsp, (%rdi); mov %rsi, %rsp;"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}
static void leave(unsigned thread) {
    swap_stacks(&fibers->threads[thread], fibers->scheduler);
}
static void enter(unsigned thread) {
    swap_stacks(&fibers->scheduler, fibers->threads[thread]);
}
static void place(unsigned i) {
    current = i;
    threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
}
static inline void __syncthreads() {
    unsigned i = current;
    leave(i);
    place(i);
}
static inline int __syncthreads_or(int own) {
    static int any;
    __syncthreads();
    any = 0;
    __syncthreads();
    any |= own;
    __syncthreads();
    return any;
}
static inline void __syncwarp(unsigned = 0) { __syncthreads(); }
// All threads of a block have to come here together.
static inline unsigned __shfl_down_sync(unsigned, unsigned own, unsigned behind) {
    static unsigned given[1024];
    given[current] = own;
    __syncthreads();
    const unsigned found = given[current % 32 + behind < 32 ? current + behind : current];
    __syncthreads();
    return found;
}

template <size_t... I> struct Indices {};
template <size_t N, size_t... I> struct UpTo : UpTo<N - 1, N - 1, I...> {};
template <size_t... I> struct UpTo<0, I...> { typedef Indices<I...> type; };
template <class... A, size_t... I>
static void call(void (*kernel)(A...), void** values, Indices<I...>) {
    kernel(*(A*)values[I]...);
}
template <class... A>
static void call(void (*kernel)(A...), void** values) {
    call(kernel, values, typename UpTo<sizeof...(A)>::type{});
}

static void (*body)(void**);
static void** body_values;
static void fiber() {
    body(body_values);
    fibers->finished[current] = 1;
    leave(current);
}
// Threads that sleep go on before any thread passes a barrier.
static bool wake_sleepers(unsigned count) {
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        if (fibers->sleeping[i]) {
            fibers->sleeping[i] = 0;
            any = true;
            place(i);
            enter(i);
        }
    return any;
}
static void run_block(bool synchronises) {
    unsigned count = blockDim.x * blockDim.y * blockDim.z;
    if (!synchronises) {
        for (unsigned i = 0; i < count; i++) {
            place(i);
            body(body_values);
        }
        return;
    }
    if (!fibers->stacks) {
        // Not reserved, or a fork would need memory for all stacks of all kernels: tens of GB.
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void* made = mmap(0, MOST_THREADS * STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (made == MAP_FAILED) abort();
        fibers->stacks = (char*)made;
    }
    memset(fibers->finished, 0, count);
    memset(fibers->sleeping, 0, count);
    for (unsigned i = 0; i < count; i++) {
        // What `swap_stacks` takes off: six registers and where to go on, with the stack aligned.
        void** top = (void**)&fibers->stacks[(i + 1) * STACK];
        top[-2] = (void*)fiber;
        fibers->threads[i] = top - 8;
    }
    for (bool running = true; running;) {
        running = false;
        for (unsigned i = 0; i < count; i++)
            if (!fibers->finished[i]) {
                running = true;
                place(i);
                enter(i);
            }
        while (wake_sleepers(count)) continue;
    }
}
static size_t begun;  // blocks
static unsigned shared_bytes;  // of a block
static bool all_begun() { return begun == (size_t)gridDim.x * gridDim.y * gridDim.z; }
static bool run_next(bool synchronises) {
    if (all_begun()) return false;
    blockIdx = {(unsigned)(begun % gridDim.x), (unsigned)(begun / gridDim.x % gridDim.y),
                (unsigned)(begun / gridDim.x / gridDim.y)};
    begun++;
    memset(shared_memory_of_block, 0xA5, shared_bytes);
    run_block(synchronises);
    return true;
}
// A thread that waits lets the next block run, or else the other threads of its block.
static inline void __nanosleep(unsigned) {
    const unsigned thread = current;
    if (all_begun()) {
        fibers->sleeping[thread] = 1;
        leave(thread);
        return;
    }
    const dim3 block = blockIdx;
    if (++fibers == fibers_of_blocks + MOST_WAITING) abort();
    char* const kept = (char*)malloc(sizeof shared_memory_of_block);
    memcpy(kept, shared_memory_of_block, sizeof shared_memory_of_block);
    run_next(true);
    memcpy(shared_memory_of_block, kept, sizeof shared_memory_of_block);
    free(kept);
    fibers--;
    blockIdx = block;
    place(thread);
}
#define EMULATE(kernel)                                                                       \
    static void kernel##_body(void** values) { call(kernel, values); }                        \
    extern "C" void run(void** values, const unsigned* grid, const unsigned* block,           \
                        int synchronises, unsigned shared) {                                  \
        gridDim = {grid[0], grid[1], grid[2]};                                                \
        blockDim = {block[0], block[1], block[2]};                                            \
        body = kernel##_body;                                                                 \
        body_values = values;                                                                 \
        shared_bytes = shared;                                                                \
        for (begun = 0; run_next(synchronises);) continue;                                    \
    }
