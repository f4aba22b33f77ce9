/* Stands for NVIDIA's optical flow engine: the library's interface, with host memory and a search
 * for the displacement with the least difference. The declarations follow nvOpticalFlowCommon.h and
 * nvOpticalFlowCuda.h, version 5. The engine looks at most REACH pixels away from a start: no
 * motion, the hint, or the last vector. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REACH 4
#define AROUND 1

typedef int Status;
enum { SUCCESS, NOT_AVAILABLE, UNSUPPORTED_DEVICE, NO_DEVICE, INVALID_PTR, INVALID_PARAM, INVALID_CALL };
enum { GRAY = 1, ABGR = 3, SHORT2 = 5 };
enum { INPUT = 1, OUTPUT = 2, HINT = 3 };

typedef struct {
    uint32_t width, height;
    int outGridSize, hintGridSize, mode, perfLevel, enableExternalHints, enableOutputCost;
    void* hPrivData;
    int disparityRange, enableRoi, predDirection, enableGlobalFlow, inputBufferFormat;
} Init;
typedef struct {
    uint32_t width, height;
    int bufferUsage, bufferFormat;
} Descriptor;
typedef struct {
    struct {
        uint32_t strideXInBytes, strideYInBytes;
    } strideInfo[3];
    uint32_t numPlanes;
} StrideInfo;
typedef struct Buffer {
    Descriptor is;
    int pitch;
    uint8_t* memory;
} Buffer;
typedef struct {
    Buffer *inputFrame, *referenceFrame, *externalHints;
    int disableTemporalHints;
    uint32_t padding;
    void* hPrivData;
    uint32_t padding2, numRois;
    void* roiData;
} Input;
typedef struct {
    Buffer *outputBuffer, *outputCostBuffer;
    void* hPrivData;
    Buffer *bwdOutputBuffer, *bwdOutputCostBuffer, *globalFlowBuffer;
} Output;
typedef struct {
    Init init;
    int has_streams, is_ready;
    int16_t* last; /* the vectors of the last call */
} Session;
typedef struct {
    Status (*nvCreateOpticalFlowCuda)(void*, Session**);
    Status (*nvOFInit)(Session*, const Init*);
    Status (*nvOFCreateGPUBufferCuda)(Session*, const Descriptor*, int, Buffer**);
    void* (*nvOFGPUBufferGetCUarray)(Buffer*);
    unsigned long long (*nvOFGPUBufferGetCUdeviceptr)(Buffer*);
    Status (*nvOFGPUBufferGetStrideInfo)(Buffer*, StrideInfo*);
    Status (*nvOFSetIOCudaStreams)(Session*, void*, void*);
    Status (*nvOFExecute)(Session*, const Input*, Output*);
    Status (*nvOFDestroyGPUBufferCuda)(Buffer*);
    Status (*nvOFDestroy)(Session*);
    Status (*nvOFGetLastError)(Session*, char*, uint32_t*);
    Status (*nvOFGetCaps)(Session*, int, uint32_t*, uint32_t*);
} Functions;

/* What tests set and see. */
int is_missing, is_turing;
int sessions, buffers, executions, levels[256], follows[256];
uint8_t first_pixel[4];

const int layout[] = {
    sizeof(Init), offsetof(Init, hPrivData), offsetof(Init, inputBufferFormat),
    sizeof(Descriptor),
    sizeof(StrideInfo), offsetof(StrideInfo, numPlanes),
    sizeof(Input), offsetof(Input, disableTemporalHints), offsetof(Input, hPrivData),
    offsetof(Input, roiData),
    sizeof(Output), offsetof(Output, hPrivData), offsetof(Output, globalFlowBuffer),
    sizeof(Functions), offsetof(Functions, nvOFExecute), offsetof(Functions, nvOFGetCaps),
};

static const char* problem = "";
static Status refuse(const char* why) {
    problem = why;
    return INVALID_PARAM;
}

static Status create(void* context, Session** session) {
    if (is_missing) return UNSUPPORTED_DEVICE;
    if (!context) return INVALID_PTR;
    *session = calloc(1, sizeof(Session));
    sessions++;
    return SUCCESS;
}

static Status init(Session* s, const Init* given) {
    const Init g = *given;
    if (g.width < 32 || g.height < 32 || g.width > 8192 || g.height > 8192) return refuse("size");
    if (g.mode != 1 || (g.perfLevel != 5 && g.perfLevel != 10 && g.perfLevel != 20))
        return refuse("mode or level");
    if (g.outGridSize != 1 && g.outGridSize != 2 && g.outGridSize != 4) return refuse("grid");
    if (g.enableExternalHints ? g.hintGridSize < g.outGridSize : g.hintGridSize != 0)
        return refuse("hint grid");
    if (g.enableOutputCost || g.hPrivData || g.enableRoi || g.predDirection || g.enableGlobalFlow)
        return refuse("reserved fields");
    s->init = g;
    s->is_ready = 1;
    return SUCCESS;
}

static Status create_buffer(Session* s, const Descriptor* is, int type, Buffer** buffer) {
    if (!s->is_ready || type != 2) return INVALID_CALL;
    const int grid = is->bufferUsage == INPUT ? 1
        : is->bufferUsage == OUTPUT ? s->init.outGridSize : s->init.hintGridSize;
    if (!grid || is->width != (s->init.width + grid - 1) / grid ||
        is->height != (s->init.height + grid - 1) / grid)
        return refuse("size of a buffer");
    if ((is->bufferUsage == INPUT) == (is->bufferFormat == SHORT2)) return refuse("format");
    *buffer = calloc(1, sizeof(Buffer));
    (*buffer)->is = *is;
    (*buffer)->pitch = (is->width * (is->bufferFormat == GRAY ? 1 : 4) + 63) / 64 * 64 + 64;
    (*buffer)->memory = malloc((size_t)(*buffer)->pitch * is->height);
    memset((*buffer)->memory, 0xA5, (size_t)(*buffer)->pitch * is->height);
    buffers++;
    return SUCCESS;
}

static unsigned long long address(Buffer* b) { return (unsigned long long)b->memory; }
static Status strides(Buffer* b, StrideInfo* info) {
    memset(info, 0, sizeof *info);
    info->strideInfo[0].strideXInBytes = b->pitch;
    info->strideInfo[0].strideYInBytes = b->is.height;
    info->numPlanes = 1;
    return SUCCESS;
}
static Status set_streams(Session* s, void* input, void* output) {
    s->has_streams = input == output;
    return SUCCESS;
}

static int clamped(int value, int end) { return value < 0 ? 0 : value >= end ? end - 1 : value; }

/* The differences of squares of pixels around two points. */
static long difference(const Buffer* a, const Buffer* b, int x, int y, int dx, int dy) {
    const int bytes = a->is.bufferFormat == GRAY ? 1 : 4, channels = bytes == 1 ? 1 : 3;
    const int width = a->is.width, height = a->is.height;
    long sum = 0;
    for (int v = y - AROUND; v <= y + AROUND; v++)
        for (int u = x - AROUND; u <= x + AROUND; u++)
            for (int c = 0; c < channels; c++) {
                const int one = a->memory[clamped(v, height) * a->pitch + clamped(u, width) * bytes + c];
                const int other = b->memory[clamped(v + dy, height) * b->pitch +
                                            clamped(u + dx, width) * bytes + c];
                sum += abs(one - other);
            }
    return sum;
}

static Status execute(Session* s, const Input* in, Output* out) {
    if (!s->has_streams) return INVALID_CALL;
    if (in->padding || in->hPrivData || in->padding2 || in->numRois || in->roiData)
        return refuse("reserved fields");
    if (!in->inputFrame || !in->referenceFrame || !out->outputBuffer || out->bwdOutputBuffer)
        return INVALID_PTR;
    if (!in->externalHints != !s->init.enableExternalHints) return refuse("hints");
    const Buffer *a = in->inputFrame, *b = in->referenceFrame, *o = out->outputBuffer;
    const int grid = s->init.outGridSize, columns = o->is.width, rows = o->is.height;
    if (!in->disableTemporalHints && !s->last) return refuse("there are no vectors to follow");
    if (executions < 256) {
        levels[executions] = s->init.perfLevel;
        follows[executions] = !in->disableTemporalHints;
    }
    executions++;
    memcpy(first_pixel, a->memory, 4);
    int16_t* made = malloc((size_t)rows * columns * 4);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            const int x = clamped(column * grid + grid / 2, a->is.width);
            const int y = clamped(row * grid + grid / 2, a->is.height);
            const long at = ((long)row * columns + column) * 2;
            int starts[3][2] = {{0, 0}}, count = 1, best_x = 0, best_y = 0;
            if (in->externalHints) {
                const Buffer* h = in->externalHints;
                const int16_t* hint = (int16_t*)(h->memory + y / s->init.hintGridSize * h->pitch) +
                    x / s->init.hintGridSize * 2;
                starts[count][0] = hint[0] / 32, starts[count++][1] = hint[1] / 32;
            }
            if (!in->disableTemporalHints)
                starts[count][0] = s->last[at] / 32, starts[count++][1] = s->last[at + 1] / 32;
            long best = -1;
            for (int start = 0; start < count; start++)
                for (int dy = starts[start][1] - REACH; dy <= starts[start][1] + REACH; dy++)
                    for (int dx = starts[start][0] - REACH; dx <= starts[start][0] + REACH; dx++) {
                        const long found = difference(a, b, x, y, dx, dy);
                        if (best < 0 || found < best) best = found, best_x = dx, best_y = dy;
                    }
            made[at] = best_x * 32, made[at + 1] = best_y * 32;
        }
    for (int row = 0; row < rows; row++)
        memcpy(o->memory + (size_t)row * o->pitch, made + (size_t)row * columns * 2, columns * 4);
    free(s->last);
    s->last = made;
    return SUCCESS;
}

static Status destroy_buffer(Buffer* b) {
    free(b->memory);
    free(b);
    buffers--;
    return SUCCESS;
}
static Status destroy(Session* s) {
    free(s->last);
    free(s);
    sessions--;
    return SUCCESS;
}
static Status last_error(Session* s, char* text, uint32_t* size) {
    if (*size < 80) return INVALID_PARAM;
    strcpy(text, problem);
    *size = strlen(problem);
    return SUCCESS;
}
static Status caps(Session* s, int which, uint32_t* values, uint32_t* size) {
    static const uint32_t all[8][5] = {{3, 1, 2, 4}, {4, 1, 2, 4, 8}, {1, 1}, {1, 0},
                                       {1, 32},      {1, 32},         {1, 8192}, {1, 8192}};
    static const uint32_t turing[2][5] = {{1, 4}, {2, 4, 8}};
    if (which < 0 || which > 7) return refuse("capability");
    const uint32_t* const found = is_turing && which < 2 ? turing[which] : all[which];
    *size = found[0];
    if (values) memcpy(values, found + 1, 4 * found[0]);
    return SUCCESS;
}

Status NvOFAPICreateInstanceCuda(uint32_t version, Functions* list) {
    if (version != 0x20) return 7;
    const Functions all = {create,      init,    create_buffer,  0,       address,    strides,
                           set_streams, execute, destroy_buffer, destroy, last_error, caps};
    *list = all;
    return SUCCESS;
}
