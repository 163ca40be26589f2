// TorchScript: modules that libtorch's interpreter runs. The rules of ../abi.h apply.
// Additional ownership rules:
//
//   gt_jit_module  A module, or a submodule, with its own reference. The caller frees it with
//                  gt_jit_free.
//   gt_jit_object  A value that cannot be passed as words, with its own reference. The caller
//                  frees it with gt_jit_object_free.
//   gt_jit_function  A method. Borrowed from its module, and valid as long as the module.
//   gt_jit_trace   A trace under way. The caller ends it with gt_jit_trace_end or
//                  gt_jit_trace_abort, which free it, on the thread that began it.
//   gt_jit_out     Words and tensors that the caller frees with gt_jit_out_free, after taking
//                  the tensors and objects.
//
// Values are passed as words: a tag, with a number above its low byte, and the contents.
// values.hpp lists the tags. Tensors are indices in a list of handles that is passed with
// the words.
#ifndef GOTORCH_JIT_H
#define GOTORCH_JIT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_jit_module;
typedef uintptr_t gt_jit_object;
typedef uintptr_t gt_jit_function;
typedef uintptr_t gt_jit_trace;

enum {
  GT_JIT_NONE,
  GT_JIT_TENSOR,   // the number is the tensor's index in the list of handles
  GT_JIT_BOOL,     // the number is 0 or 1
  GT_JIT_INT,      // a word follows
  GT_JIT_FLOAT,    // a word follows
  GT_JIT_COMPLEX,  // two words follow
  GT_JIT_STRING,   // the number is the length in bytes, which follow in whole words
  GT_JIT_LIST,     // the number is how many values follow
  GT_JIT_TUPLE,    // like a list
  GT_JIT_NAMED,    // a named tuple: the names of the class and the fields, then the values
  GT_JIT_DICT,     // the number is how many pairs follow: key, value, key, value
  GT_JIT_TENSORS,  // a list of tensors: the number is how many words follow, each an index in the list of handles
  GT_JIT_INTS,     // the number is how many words follow, each an integer
  GT_JIT_FLOATS,
  GT_JIT_BOOLS,
  GT_JIT_STRINGS,  // the number is how many GT_JIT_STRINGs follow
  GT_JIT_DEVICE,   // the number is that of a device; see abi.h
  GT_JIT_OBJECT,   // a gt_jit_object follows; in a result also the name of its class
  GT_JIT_ENUM,     // the names of the class and the member, then its value
};

typedef struct {
  gt_tensor single;   // the result if it is a single tensor; words is then null
  uint64_t* words;
  int64_t n_words;
  gt_tensor* tensors;
  int64_t n_tensors;
} gt_jit_out;

void gt_jit_out_free(gt_jit_out* out);  // does not free the tensors and objects, which the caller keeps
void gt_jit_free(gt_jit_module m);
void gt_jit_object_free(gt_jit_object o);

// Reads an archive of size bytes from data or, if data is null, from the file fd, which
// is read on demand. Tensors are loaded to device, unless it is -1. Runs the archive's
// __setstate__ methods, so the caller must have checked the archive.
uintptr_t gt_jit_load(gt_ctx cx, int fd, const void* data, int64_t size, int32_t device, gt_jit_module* out);

// Writes an archive to memory: out->words points to its bytes, and n_words is their
// number. text is the concatenation of the names and contents of n_extra extra files. For
// each file, lengths contains the length of the name and the length of the contents.
uintptr_t gt_jit_save(gt_ctx cx, gt_jit_module m, const char* text, const int64_t* lengths, int64_t n_extra,
                      gt_jit_out* out);

// Describes a module and its submodules: whether a call may change an attribute, and the
// number of modules. For each module: its gt_jit_module, the class's name, and whether it
// is in training mode (2 if unknown). Its children: their number, names and module numbers.
// Its parameters and buffers: their number, names, slots, whether they are parameters, and
// indices in the list of tensors. Its other attributes: their number and names.
uintptr_t gt_jit_tree(gt_jit_module m, gt_jit_out* out);

// Writes borrowed references to n tensors, or 0 for an empty slot. Tensor i is in slot
// slots[i] of ms[i].
uintptr_t gt_jit_peek(const gt_jit_module* ms, const int32_t* slots, int64_t n, gt_tensor* out);
// Returns a new reference to the tensor in a slot.
gt_tensor gt_jit_slot(gt_jit_module m, int32_t slot);
uintptr_t gt_jit_set_slot(gt_jit_module m, int32_t slot, gt_tensor t);
uintptr_t gt_jit_train(gt_jit_module m, int on);

// Writes the method with that name to *out, or 0 if there is none.
uintptr_t gt_jit_find(gt_jit_module m, const char* name, int64_t n, gt_jit_function* out);

// Calls a method. words contain the number of positional arguments, the number of keyword
// arguments, the positional arguments, and name and value of each keyword argument. May call back
// into Go.
uintptr_t gt_jit_run(gt_ctx cx, gt_jit_module m, gt_jit_function f, const uint64_t* words, int64_t n_words,
                     const gt_tensor* handles, int64_t n_handles, gt_jit_out* out);

// These read and set an attribute that is not a module.
uintptr_t gt_jit_attr(gt_ctx cx, gt_jit_module m, const char* name, int64_t n, gt_jit_out* out);
uintptr_t gt_jit_set_attr(gt_ctx cx, gt_jit_module m, const char* name, int64_t n, const uint64_t* words,
                          int64_t n_words, const gt_tensor* handles, int64_t n_handles);
// Reads an attribute of an object.
uintptr_t gt_jit_object_attr(gt_ctx cx, gt_jit_object o, const char* name, int64_t n, gt_jit_out* out);

// keep contains the names of attributes to keep, and methods contains the names of
// additional methods to keep. Each name ends with a zero byte.
uintptr_t gt_jit_freeze(gt_ctx cx, gt_jit_module m, const char* keep, int64_t n, int numerics, gt_jit_module* out);
uintptr_t gt_jit_optimize(gt_ctx cx, gt_jit_module m, const char* methods, int64_t n, gt_jit_module* out);
uintptr_t gt_jit_copy(gt_ctx cx, gt_jit_module m, gt_jit_module* out);

// Kinds of text about a method. gt_jit_text writes the text as a string in words.
enum { GT_JIT_SCHEMA, GT_JIT_CODE, GT_JIT_GRAPH, GT_JIT_INLINED };
uintptr_t gt_jit_text(gt_jit_module m, gt_jit_function f, int what, gt_jit_out* out);

// Records, from now on, the operators that the calling thread calls. words describe the
// module whose tensors the program has as attributes; see trace.cpp. The first n_inputs
// handles are the inputs.
uintptr_t gt_jit_trace_begin(gt_ctx cx, const uint64_t* words, int64_t n_words, const gt_tensor* handles,
                             int64_t n_handles, int64_t n_inputs, gt_jit_trace* out);
// Ends a trace, and makes a module whose forward returns the outputs: a tensor, or a tuple
// if there is not exactly one.
uintptr_t gt_jit_trace_end(gt_jit_trace trace, const gt_tensor* outputs, int64_t n, gt_jit_module* out);
void gt_jit_trace_abort(gt_jit_trace trace);

#ifdef __cplusplus
}
#endif
#endif
