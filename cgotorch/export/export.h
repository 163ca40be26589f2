// Exported programs: graphs of operators that torch.export wrote. Operators by name. The
// rules of ../abi.h apply. Additional ownership rules:
//
//   gt_program     A program. The caller frees it with gt_export_free, when no call of it runs.
//   gt_export_recording
//                  A recording that gt_export_record_begin makes. The caller passes it to
//                  gt_export_record_end or gt_export_record_abort, which free it.
//   gt_export_out  Words and tensors that the caller frees with gt_export_out_free, after
//                  taking the tensors.
//
// A program is passed as words. A value starts with a word that has a tag in its low byte
// and a number above it. A string is GT_EXPORT_STRING with its length in bytes, which
// follow in whole words. A list is GT_EXPORT_LIST with the number of values that follow.
//
//   graph    the number of its slots, the slots of its inputs (their number first), its
//            nodes (their number first), and its outputs (a list)
//   node     its kind, a number that errors give, and
//            GT_EXPORT_OPERATOR  the names of operator and overload, the number of
//                                arguments, name and value of each, its outputs
//            GT_EXPORT_SYMBOL    the name of the function, its arguments (a list), its outputs
//            the other kinds     their arguments (a list), their graphs (their number
//                                first), their outputs
//   outputs  their number, and for each: GT_EXPORT_SLOT with a slot, GT_EXPORT_NONE for
//            an unused output, or a list of these
//
// A slot holds a value while a graph runs.
#ifndef GOTORCH_EXPORT_H
#define GOTORCH_EXPORT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_program;
typedef uintptr_t gt_export_recording;

enum {
  GT_EXPORT_NONE,
  GT_EXPORT_SLOT,     // the number is the slot's
  GT_EXPORT_TENSOR,   // outside of programs: the number is the tensor's index in the list of handles
  GT_EXPORT_BOOL,     // the number is 0 or 1
  GT_EXPORT_INT,      // a word follows
  GT_EXPORT_FLOAT,    // a word follows
  GT_EXPORT_COMPLEX,  // two words follow
  GT_EXPORT_STRING,   // the number is the length in bytes
  GT_EXPORT_LIST,     // the number is how many values follow
  GT_EXPORT_DEVICE,   // the number is that of a device; see abi.h
  GT_EXPORT_TRAIN,    // whether a module trains: the number is twice the module's, plus 1 if it did when exported
};

enum {
  GT_EXPORT_OPERATOR,
  GT_EXPORT_SYMBOL,    // a function of Python's on numbers, such as _operator.add
  GT_EXPORT_COND,      // the condition and a list; the graphs for true and false
  GT_EXPORT_WHILE,     // two lists: what the loop changes, and what it only reads; the graphs of condition and body
  GT_EXPORT_GRAD,      // whether gradients are on, and a list; one graph
  GT_EXPORT_AUTOCAST,  // device type, dtype, whether it is on, whether casts are kept, and a list; one graph
};

// The mode of a module: as it was exported, or one of the two modes.
enum { GT_EXPORT_AS_EXPORTED, GT_EXPORT_TRAINING, GT_EXPORT_EVALUATION };

typedef struct {
  uint64_t* words;
  int64_t n_words;
  gt_tensor* tensors;
  int64_t n_tensors;
} gt_export_out;

// Builds a program from a graph and its writes: their number, and for each the slot of the
// new value and the slot of the tensor into which the value is copied after a run. If an
// operator is missing or does not fit, *node is the number of its node, and -1 otherwise.
// cx must not have inference mode, because the program keeps tensors for its constants.
uintptr_t gt_export_build(gt_ctx cx, const uint64_t* words, int64_t n, gt_program* out, int64_t* node);
void gt_export_free(gt_program p);

// Runs a program. words contain the values of its inputs, and modes the modes of its
// modules, by number. The result's words contain its outputs. After an error *node is the
// number of the node that failed, or -1. May call back into Go. Several threads may run a
// program at the same time.
uintptr_t gt_export_run(gt_ctx cx, gt_program p, const uint8_t* modes, int64_t n_modes, const uint64_t* words,
                        int64_t n_words, const gt_tensor* handles, int64_t n_handles, gt_export_out* out,
                        int64_t* node);
void gt_export_out_free(gt_export_out* out);  // does not free the tensors

// Calls an operator. words contain its arguments: their number, and name and value of each.
// An argument with an empty name is the next one in the schema's order. A tensor is
// GT_EXPORT_TENSOR. The result's words contain its results; a list is GT_EXPORT_LIST. If below
// is set, the call skips autograd. May call back into Go.
uintptr_t gt_export_call(gt_ctx cx, const char* name, const char* overload, int below, const uint64_t* words,
                         int64_t n_words, const gt_tensor* handles, int64_t n_handles, gt_export_out* out);

// Writes, as strings in words, the schemas of all registered operators whose name with its
// namespace is name, or all their names if name is empty.
uintptr_t gt_export_schemas(const char* name, gt_export_out* out);

// The kernels of an operator that is written in Go.
enum { GT_KERNEL_FORWARD, GT_KERNEL_META, GT_KERNEL_AUTOGRAD, GT_KERNEL_VMAP };

// Registers an operator for the rest of the process. kernels has a bit for each kernel. They
// call back into Go with id.
uintptr_t gt_export_register(const char* schema, int64_t id, uint32_t kernels);

// Loads a shared library, which registers its operators.
uintptr_t gt_export_load_library(const char* path);

// Begins to record what the calling thread computes. handles are the parameters of the
// module, its buffers, and the inputs, which get the numbers from 0. The caller stays on the
// thread until the end.
uintptr_t gt_export_record_begin(gt_ctx cx, const gt_tensor* handles, int64_t n, int64_t n_parameters,
                                 gt_export_recording* out);

// Says that the nodes of the calling thread's recording belong to a module, by a number of the caller's.
void gt_export_record_module(int64_t module);

// Ends a recording. outputs are the results of the function. The words of the result are
// four lists:
//   the facts of all values by number: dtype, whether it requires gradients, number of
//   dimensions, sizes, strides, and offset of each
//   the numbers of the results
//   the constants: number and tensor of each
//   the nodes, each a list of the names of operator and overload, the number of the call's
//   stack, the module or -1, the arguments (a list), and the results (a list). An argument is a list of its
//   name, its type in the schema, whether it is passed by keyword only, and its value. A
//   tensor is GT_EXPORT_SLOT with its number, a dtype a number, and a device a string.
uintptr_t gt_export_record_end(gt_ctx cx, gt_export_recording r, const gt_tensor* outputs, int64_t n,
                               gt_export_out* out);
void gt_export_record_abort(gt_export_recording r);

#ifdef __cplusplus
}
#endif
#endif
