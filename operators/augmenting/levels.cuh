// Tables of the effects that depend on the levels of a frame, made by a block with a thread for
// each level: see byte_tables.py.

// What a block knows of a channel, whose levels its threads hold.
struct Sums {
    i64 upto[LEVELS];  // of the counts, or of what is added up, of the levels up to each
    int lowest, highest;  // level that occurs
};

// Adds up a value of each thread's level.
__device__ inline void add_up(Sums& sums, i64 value) {
    const int level = threadIdx.x;
    __syncthreads();  // nobody reads sums of another channel any more
    sums.upto[level] = value;
    __syncthreads();
    for (int reach = 1; reach < LEVELS; reach *= 2) {
        const i64 before = level >= reach ? sums.upto[level - reach] : 0;
        __syncthreads();
        sums.upto[level] += before;
        __syncthreads();
    }
}

__device__ inline double mean_of(const Frame& s, const unsigned* counts, Sums& sums) {
    add_up(sums, (i64)threadIdx.x * counts[threadIdx.x]);
    return (double)sums.upto[LEVELS - 1] / (double)((i64)s.height * s.width);
}

// The level from which contrast moves the others away.
__device__ inline float center_of(const Frame& s, int channels, Sums& sums) {
    const double first = mean_of(s, s.counts, sums);
    if (PILLOW) return (float)(int)(first + 0.5);
    if (channels < 3) return (float)first;
    const float red = __fmul_rn(0.299f, (float)first);
    const float green = __fmul_rn(0.587f, (float)mean_of(s, s.counts + LEVELS, sums));
    const float blue = __fmul_rn(0.114f, (float)mean_of(s, s.counts + 2 * LEVELS, sums));
    return __fadd_rn(__fadd_rn(red, green), blue);
}

// What equalize makes of a level that occurs `count` times.
__device__ inline u8 equalized(const Sums& sums, const unsigned* counts, int level) {
    const i64 pixels = sums.upto[LEVELS - 1], upto = sums.upto[level];
    if (PILLOW) {
        const i64 step = (pixels - counts[sums.highest]) / 255;
        if (sums.highest == sums.lowest || step == 0) return level;
        return (u8)min((step / 2 + upto - counts[level]) / step, (i64)255);
    }
    const i64 first = counts[sums.lowest], rest = pixels - first;
    if (rest == 0) return sums.lowest;
    const i64 sum = level > sums.lowest ? upto - first : 0;
    return (u8)min(__float2int_rn((float)sum * (255.0f / (float)rest)), 255);
}

// What auto_contrast makes of a level.
__device__ inline u8 stretched(const Sums& sums, int level) {
    const int low = sums.lowest, high = sums.highest;
    if (high == low) return level;
    if (!PILLOW) return saturated<u8>((float)(level - low) * (255.0f / (float)(high - low)));
    const double scale = 255.0 / (double)(high - low);
    const double value = __dadd_rn(__dmul_rn((double)level, scale), __dmul_rn((double)-low, scale));
    return (u8)min(max((int)value, 0), 255);
}

// Makes the tables of a channel and of the others that a thread handles.
__device__ inline void make_own_levels(const Frame& s, Sums& sums, int channel, u8* levels) {
    const int channels = CHANNELS ? CHANNELS : s.channels, level = threadIdx.x;
    if (s.effect == CONTRAST) {
        const float center = center_of(s, channels, sums), factor = s.numbers[0];
        const u8 made = PILLOW ? blended(center, (float)level, factor)
                               : saturated<u8>(blend(center, (float)level, factor));
        for (int c = 0; c < TOGETHER; c++) levels[LEVELS * c + level] = made;
        return;
    }
    for (int c = 0; c < TOGETHER; c++) {
        const unsigned* counts = s.counts + LEVELS * (channel + c);
        const i64 count = counts[level];
        add_up(sums, count);
        if (count && sums.upto[level] == count) sums.lowest = level;
        if (count && sums.upto[level] == sums.upto[LEVELS - 1]) sums.highest = level;
        __syncthreads();
        levels[LEVELS * c + level] =
            s.effect == EQUALIZE ? equalized(sums, counts, level) : stretched(sums, level);
    }
}
