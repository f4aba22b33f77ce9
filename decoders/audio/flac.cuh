// What both FLAC kernels share: the stream, the bits, and a frame's header. Source: RFC 9639.
#define CANDIDATES 4  // headers that one slot holds; see Slot

// The positions at which a header of the slot's frame seems to start. Bytes inside of a frame may look
// like a header, check sum included; then a slot has two candidates, and the frames' check sums decide.
struct Slot {
    int count;
    int offsets[CANDIDATES];
};

// The outcome of one file: the samples of all frames that were decoded, and the offset of the first
// frame that is damaged.
struct Outcome {
    unsigned long long samples;
    int damaged;
};

struct FrameHeader {
    long long number;  // of the frame
    int samples, assignment, bytes;
};

__device__ inline int crc8(const unsigned char* data, int count) {
    int crc = 0;
    for (int i = 0; i < count; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 128 ? 0x107 : 0);
    }
    return crc;
}

// Polynomial 0x8005. Shifting a byte through the sum takes two shifts and the byte's parity.
__device__ inline unsigned crc16(const unsigned char* data, int count) {
    unsigned crc = 0;
    for (int i = 0; i < count; i++) {
        const unsigned top = (crc >> 8) ^ data[i];
        crc = ((crc << 8) & 0xFFFF) ^ (top << 1) ^ (top << 2) ^ (__popc(top) & 1 ? 0x8003 : 0);
    }
    return crc & 0xFFFF;
}

// Reads the header at `offset`; false if no frame of this stream can start there.
__device__ inline bool read_header(const Stream& s, int offset, FrameHeader* header) {
    const unsigned char* at = s.data + offset;
    const int left = s.length - offset;
    if (left < 7 || at[0] != 0xFF || at[1] != 0xF8 || at[3] & 1) return false;
    const int size_code = at[2] >> 4, rate_code = at[2] & 15, assignment = at[3] >> 4;
    const int bits_code = at[3] >> 1 & 7;
    if (size_code == 0 || rate_code == 15 || bits_code == 3 || assignment > 10) return false;
    if ((assignment < 8 ? assignment + 1 : 2) != s.channels) return false;
    const int all_bits[8] = {s.bits, 8, 12, 0, 16, 20, 24, 32};
    if (all_bits[bits_code] != s.bits) return false;

    // The number of the frame, in up to 7 bytes as in UTF-8.
    int ones = 0;
    while (ones < 8 && at[4] & (128 >> ones)) ones++;
    if (ones == 1 || ones == 8) return false;
    const int more = ones ? ones - 1 : 0;
    const int size_bytes = size_code == 6 ? 1 : size_code == 7 ? 2 : 0;
    const int rate_bytes = rate_code == 12 ? 1 : rate_code == 13 || rate_code == 14 ? 2 : 0;
    const int bytes = 5 + more + size_bytes + rate_bytes + 1;
    if (left < bytes) return false;
    long long number = at[4] & (ones ? 127 >> ones : 127);
    for (int i = 0; i < more; i++) {
        if ((at[5 + i] & 0xC0) != 0x80) return false;
        number = number << 6 | (at[5 + i] & 63);
    }

    const unsigned char* size = at + 5 + more;
    int samples = size_code == 1 ? 192 : size_code < 6 ? 576 << (size_code - 2) : 256 << (size_code & 7);
    if (size_bytes == 1) samples = size[0] + 1;
    if (size_bytes == 2) samples = (size[0] << 8 | size[1]) + 1;
    if (number >= s.frames) return false;
    const long long rest = s.samples - number * s.block;
    if (samples != (rest < s.block ? rest : s.block)) return false;
    if (crc8(at, bytes - 1) != at[bytes - 1]) return false;
    *header = {number, samples, assignment, bytes};
    return true;
}

// The bits of a frame, the highest bit of a byte first. Behind the end all bits are 0.
struct Bits {
    const unsigned char* data;
    int next, end;                // offsets of bytes: of the next one to load, and of the end
    int count = 0;                // bits in the window
    unsigned long long window = 0;  // the next bits, from the highest on

    __device__ Bits(const unsigned char* data, int next, int end) : data(data), next(next), end(end) {}

    __device__ bool overrun() const { return next - (count >> 3) > end; }

    // Makes at least 57 bits available. A reader that goes on behind the end notices soon.
    __device__ void fill() {
        while (count <= 56) {
            const unsigned long long byte = next < end ? data[next] : 0;
            window |= byte << (56 - count);
            count += 8;
            next += next < end + 16;
        }
    }

    __device__ void skip(int bits) {
        window <<= bits;
        count -= bits;
    }

    __device__ unsigned read(int bits) {  // 0 to 32
        if (bits == 0) return 0;
        if (count < bits) fill();
        const unsigned value = (unsigned)(window >> (64 - bits));
        skip(bits);
        return value;
    }

    __device__ int read_signed(int bits) {
        if (bits == 0) return 0;
        if (count < bits) fill();
        const int value = (int)((long long)window >> (64 - bits));
        skip(bits);
        return value;
    }

    // The number of zeros before the next one, which is skipped.
    __device__ unsigned unary() {
        unsigned zeros = 0;
        fill();
        while (window == 0) {
            if (overrun()) return zeros;
            zeros += count;
            count = 0;
            fill();
        }
        const int few = __clzll(window);
        window <<= few;
        window <<= 1;
        count -= few + 1;
        return zeros + few;
    }

    // The offset of the next whole byte.
    __device__ int aligned() {
        skip(count & 7);
        return next - (count >> 3);
    }
};
