package main

import (
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// kind describes how arguments of one schema type are passed to C++. Calls of an
// operator's own C++ function use c, cxx and call. Boxed calls use code, words, pack and
// put. In c, cxx, call, absent and pack, $ stands for the parameter's name. In pack and
// put, @ stands for the qualifier of names of cgotorch/aten.
type kind struct {
	name   string // the schema type without sizes
	goType string // Go type in package cgotorch/aten
	c      string // C parameters
	cxx    string // the C++ expression passed to the operator
	call   string // the Go expressions passed to C
	absent string // C++ condition that is true if the argument has its default (None or false)
	code   string // the letter for the kind in boxed.cpp
	words  int    // number of words; 0 if the number depends on the value
	pack   string // the Go expressions of the words
	put    string // the Go function that appends the words if their number depends on the value
	guard  string // the name of the kind in guards.hpp, or "" if no guard uses it
	seen   string // the fields of the guard's structure, after the name
}

var kinds = map[string]*kind{
	"Tensor": {
		goType: "abi.Tensor", c: "gt_tensor $", cxx: "gt::as($)", call: "C.gt_tensor($)", code: "t",
		words: 1, pack: "uint64($)",
	},
	"Tensor!": {
		goType: "abi.Tensor", c: "gt_tensor $", cxx: "$_slot", call: "C.gt_tensor($)", code: "m",
		words: 1, pack: "uint64($)",
	},
	"Tensor?": {
		goType: "abi.Tensor", c: "gt_tensor $", cxx: "gt::opt_tensor($)", call: "C.gt_tensor($)",
		absent: "!$", code: "T", words: 1, pack: "uint64($)",
	},
	"Tensor[]": {
		goType: "[]abi.Tensor", c: "const gt_tensor* $, int64_t $_n", cxx: "gt::tensors($, $_n).list()",
		call: "handles($), C.int64_t(len($))", code: "l", put: "@PackHandles",
	},
	"Tensor?[]": {
		goType: "[]abi.Tensor", c: "const gt_tensor* $, int64_t $_n", cxx: "gt::opt_tensors($, $_n)",
		call: "handles($), C.int64_t(len($))", code: "L", put: "@PackHandles",
	},
	"bool": {
		goType: "bool", c: "bool $", cxx: "$", call: "C.bool($)", absent: "!$", code: "b", words: 1,
		pack: "@Bit($)",
	},
	"bool?": {
		goType: "*bool", c: "const bool* $", cxx: "gt::opt($)", call: "(*C.bool)($)", absent: "!$",
		code: "B", words: 2, pack: "@Bit($ != nil), @OptBool($)",
	},
	"int": {
		goType: "int64", c: "int64_t $", cxx: "$", call: "C.int64_t($)", code: "i", words: 1,
		pack: "uint64($)",
	},
	"int?": {
		goType: "*int64", c: "const int64_t* $", cxx: "gt::opt($)", call: "(*C.int64_t)($)", absent: "!$",
		code: "I", words: 2, pack: "@Bit($ != nil), @OptInt($)",
	},
	"int[]": {
		goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::ints($, $_n)",
		call: "ints($), C.int64_t(len($))", code: "v", put: "@PackInts",
	},
	"int[]?": {
		goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::opt_ints($, $_n)",
		call: "ints($), count($)", code: "V", put: "@PackOptInts",
	},
	"SymInt": {
		goType: "int64", c: "int64_t $", cxx: "c10::SymInt($)", call: "C.int64_t($)", code: "i", words: 1,
		pack: "uint64($)",
	},
	"SymInt?": {
		goType: "*int64", c: "const int64_t* $", cxx: "gt::opt_sym($)", call: "(*C.int64_t)($)",
		absent: "!$", code: "I", words: 2, pack: "@Bit($ != nil), @OptInt($)",
	},
	"SymInt[]": {
		goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::syms($, $_n)",
		call: "ints($), C.int64_t(len($))", code: "v", put: "@PackInts",
	},
	"SymInt[]?": {
		goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::opt_syms($, $_n)",
		call: "ints($), count($)", code: "V", put: "@PackOptInts",
	},
	"float": {
		goType: "float64", c: "double $", cxx: "$", call: "C.double($)", code: "d", words: 1,
		pack: "math.Float64bits($)",
	},
	"float?": {
		goType: "*float64", c: "const double* $", cxx: "gt::opt($)", call: "(*C.double)($)", absent: "!$",
		code: "D", words: 2, pack: "@Bit($ != nil), @OptFloat($)",
	},
	"float[]?": {
		goType: "[]float64", c: "const double* $, int64_t $_n", cxx: "gt::opt_floats($, $_n)",
		call: "floats($), count($)", code: "W", put: "@PackOptFloats",
	},
	"Scalar": {
		goType: "abi.Scalar", c: "gt_scalar $", cxx: "gt::scalar($)", call: "number($)", code: "s",
		words: 4, pack: "uint64($.Kind), uint64($.I), math.Float64bits($.D), math.Float64bits($.Im)",
	},
	"Scalar?": {
		goType: "abi.Scalar", c: "gt_scalar $", cxx: "gt::opt_scalar($)", call: "number($)", code: "S",
		words: 4, pack: "uint64($.Kind), uint64($.I), math.Float64bits($.D), math.Float64bits($.Im)",
	},
	"Scalar[]": {
		goType: "[]abi.Scalar", c: "const gt_scalar* $, int64_t $_n", cxx: "gt::scalars($, $_n).list()",
		call: "numbers($), C.int64_t(len($))", code: "n", put: "@PackScalars",
	},
	"str": {
		goType: "string", c: "const char* $, int64_t $_n", cxx: "c10::string_view($, $_n)",
		call: "chars($), C.int64_t(len($))", code: "c", put: "@PackString",
	},
	"str?": {
		goType: "*string", c: "const char* $, int64_t $_n", cxx: "gt::opt_str($, $_n)",
		call: "optChars($), optLen($)", code: "C", put: "@PackOptString",
	},
	"ScalarType": {
		goType: "int8", c: "int8_t $", cxx: "gt::dtype($)", call: "C.int8_t($)", code: "y", words: 1,
		pack: "uint64($)",
	},
	"ScalarType?": {
		goType: "int8", c: "int8_t $", cxx: "gt::opt_dtype($)", call: "C.int8_t($)", absent: "$ < 0",
		code: "Y", words: 1, pack: "uint64($)",
	},
	"Layout": {
		goType: "int8", c: "int8_t $", cxx: "gt::layout($)", call: "C.int8_t($)", code: "o", words: 1,
		pack: "uint64($)",
	},
	"Layout?": {
		goType: "int8", c: "int8_t $", cxx: "gt::opt_layout($)", call: "C.int8_t($)", absent: "$ < 0",
		code: "O", words: 1, pack: "uint64($)",
	},
	"MemoryFormat": {
		goType: "int8", c: "int8_t $", cxx: "gt::memory_format($)", call: "C.int8_t($)", code: "f",
		words: 1, pack: "uint64($)",
	},
	"MemoryFormat?": {
		goType: "int8", c: "int8_t $", cxx: "gt::opt_memory_format($)", call: "C.int8_t($)",
		absent: "$ < 0", code: "F", words: 1, pack: "uint64($)",
	},
	"Device": {
		goType: "int32", c: "int32_t $", cxx: "gt::device($)", call: "C.int32_t($)", code: "e", words: 1,
		pack: "uint64($)",
	},
	"Device?": {
		goType: "int32", c: "int32_t $", cxx: "gt::opt_device($)", call: "C.int32_t($)", absent: "$ < 0",
		code: "E", words: 1, pack: "uint64($)",
	},
	"DeviceIndex": {
		goType: "int8", c: "int8_t $", cxx: "$", call: "C.int8_t($)", code: "i", words: 1,
		pack: "uint64($)",
	},
	"Generator?": {
		goType: "abi.Generator", c: "gt_generator $", cxx: "gt::generator($)", call: "C.gt_generator($)",
		absent: "!$", code: "G", words: 1, pack: "uint64($)",
	},
}

func init() {
	for name, k := range kinds {
		k.name = strings.TrimSuffix(name, "!")
		seen := map[string][2]string{
			"t": {"tensor", "$"}, "m": {"tensor", "$"}, "T": {"tensor", "$"}, "l": {"tensors", "$, $_n"},
			"L": {"tensors", "$, $_n"},
			"b": {"boolean", "$"}, "i": {"integer", "$, true"}, "I": {"integer", "$ ? *$ : 0, $ != nullptr"},
			"d": {"real", "$, true"}, "D": {"real", "$ ? *$ : 0, $ != nullptr"},
			"s": {"number", "$"}, "S": {"number", "$"}, "v": {"ints", "$, $_n"}, "V": {"ints", "$, $_n"},
			"c": {"text", "$, $_n"}, "C": {"text", "$, $_n"},
			"y": {"integer", "$, true"}, "Y": {"integer", "$, $ >= 0"},
		}[k.code]
		k.guard, k.seen = seen[0], seen[1]
	}
	for n := 2; n <= 4; n++ {
		size := strconv.Itoa(n)
		kinds["bool["+size+"]"] = &kind{
			name: "bool[" + size + "]", goType: "[" + size + "]bool", c: "const bool* $",
			cxx: "gt::mask<" + size + ">($)", call: "(*C.bool)(&$[0])", code: "a", put: "@PackBools",
		}
	}
}

// kindOf returns the kind of arguments of type t, or nil if they cannot be passed to C++.
func kindOf(t schema.Type) *kind {
	if t.Base != "bool" {
		t.Size = 0
	}
	name := t.String()
	if t.Mutable() && name == "Tensor" {
		name = "Tensor!"
	}
	return kinds[name]
}

// pointers reports whether Go passes the address of Go memory for this kind.
func (k *kind) pointers() bool { return strings.Contains(k.c, "*") }

func subst(template, name string) string { return strings.ReplaceAll(template, "$", name) }
