/* layer.h - the constants of the standard ABI and what they are in MPICH. */
enum group {
    IS_COMM = 1,
    IS_DATATYPE,
    IS_ERRHANDLER,
    IS_FILE,
    IS_GROUP,
    IS_INFO,
    IS_MESSAGE,
    IS_OP,
    IS_REQUEST,
    IS_SESSION,
    IS_WIN, /* handles up to here */
    IS_RANK,
    IS_TAG,
    IS_THREAD,
    IS_LOCK,
    IS_MODE,
    IS_SPLIT,
    IS_COMPARE,
    IS_TOPOLOGY,
    IS_COMBINER,
    IS_ERROR,
    IS_KEYVAL
};
struct value {
    enum group group;
    long abi, mpich;
};
extern const struct value values[]; /* up to a group of 0 */
