package main

import (
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// kind says how arguments of one schema type cross the boundary. In c, cxx,
// call and absent, $ stands for the parameter's name.
type kind struct {
	name   string // the schema type without sizes
	goType string // in package cgotorch/aten
	c      string // C parameters
	cxx    string // the C++ expression handed to the operator
	call   string // the Go expressions handed to C
	absent string // C++ condition: the argument has its default (None, false)
}

var kinds = map[string]*kind{
	"Tensor":        {goType: "abi.Tensor", c: "gt_tensor $", cxx: "gt::as($)", call: "C.gt_tensor($)"},
	"Tensor!":       {goType: "abi.Tensor", c: "gt_tensor $", cxx: "gt::as_mut($)", call: "C.gt_tensor($)"},
	"Tensor?":       {goType: "abi.Tensor", c: "gt_tensor $", cxx: "gt::opt_tensor($)", call: "C.gt_tensor($)", absent: "!$"},
	"Tensor[]":      {goType: "[]abi.Tensor", c: "const gt_tensor* $, int64_t $_n", cxx: "gt::tensors($, $_n).list()", call: "handles($), C.int64_t(len($))"},
	"Tensor?[]":     {goType: "[]abi.Tensor", c: "const gt_tensor* $, int64_t $_n", cxx: "gt::opt_tensors($, $_n)", call: "handles($), C.int64_t(len($))"},
	"bool":          {goType: "bool", c: "bool $", cxx: "$", call: "C.bool($)", absent: "!$"},
	"bool?":         {goType: "*bool", c: "const bool* $", cxx: "gt::opt($)", call: "(*C.bool)($)", absent: "!$"},
	"int":           {goType: "int64", c: "int64_t $", cxx: "$", call: "C.int64_t($)"},
	"int?":          {goType: "*int64", c: "const int64_t* $", cxx: "gt::opt($)", call: "(*C.int64_t)($)", absent: "!$"},
	"int[]":         {goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::ints($, $_n)", call: "ints($), C.int64_t(len($))"},
	"int[]?":        {goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::opt_ints($, $_n)", call: "ints($), count($)"},
	"SymInt":        {goType: "int64", c: "int64_t $", cxx: "c10::SymInt($)", call: "C.int64_t($)"},
	"SymInt?":       {goType: "*int64", c: "const int64_t* $", cxx: "gt::opt_sym($)", call: "(*C.int64_t)($)", absent: "!$"},
	"SymInt[]":      {goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::syms($, $_n)", call: "ints($), C.int64_t(len($))"},
	"SymInt[]?":     {goType: "[]int64", c: "const int64_t* $, int64_t $_n", cxx: "gt::opt_syms($, $_n)", call: "ints($), count($)"},
	"float":         {goType: "float64", c: "double $", cxx: "$", call: "C.double($)"},
	"float?":        {goType: "*float64", c: "const double* $", cxx: "gt::opt($)", call: "(*C.double)($)", absent: "!$"},
	"float[]?":      {goType: "[]float64", c: "const double* $, int64_t $_n", cxx: "gt::opt_floats($, $_n)", call: "floats($), count($)"},
	"Scalar":        {goType: "abi.Scalar", c: "gt_scalar $", cxx: "gt::scalar($)", call: "number($)"},
	"Scalar?":       {goType: "abi.Scalar", c: "gt_scalar $", cxx: "gt::opt_scalar($)", call: "number($)"},
	"Scalar[]":      {goType: "[]abi.Scalar", c: "const gt_scalar* $, int64_t $_n", cxx: "gt::scalars($, $_n).list()", call: "numbers($), C.int64_t(len($))"},
	"str":           {goType: "string", c: "const char* $, int64_t $_n", cxx: "c10::string_view($, $_n)", call: "chars($), C.int64_t(len($))"},
	"str?":          {goType: "*string", c: "const char* $, int64_t $_n", cxx: "gt::opt_str($, $_n)", call: "optChars($), optLen($)"},
	"ScalarType":    {goType: "int8", c: "int8_t $", cxx: "gt::dtype($)", call: "C.int8_t($)"},
	"ScalarType?":   {goType: "int8", c: "int8_t $", cxx: "gt::opt_dtype($)", call: "C.int8_t($)", absent: "$ < 0"},
	"Layout":        {goType: "int8", c: "int8_t $", cxx: "gt::layout($)", call: "C.int8_t($)"},
	"Layout?":       {goType: "int8", c: "int8_t $", cxx: "gt::opt_layout($)", call: "C.int8_t($)", absent: "$ < 0"},
	"MemoryFormat":  {goType: "int8", c: "int8_t $", cxx: "gt::memory_format($)", call: "C.int8_t($)"},
	"MemoryFormat?": {goType: "int8", c: "int8_t $", cxx: "gt::opt_memory_format($)", call: "C.int8_t($)", absent: "$ < 0"},
	"Device":        {goType: "int32", c: "int32_t $", cxx: "gt::device($)", call: "C.int32_t($)"},
	"Device?":       {goType: "int32", c: "int32_t $", cxx: "gt::opt_device($)", call: "C.int32_t($)", absent: "$ < 0"},
	"DeviceIndex":   {goType: "int8", c: "int8_t $", cxx: "$", call: "C.int8_t($)"},
	"Generator?":    {goType: "abi.Generator", c: "gt_generator $", cxx: "gt::generator($)", call: "C.gt_generator($)", absent: "!$"},
}

func init() {
	for name, k := range kinds {
		k.name = strings.TrimSuffix(name, "!")
	}
	for n := 2; n <= 4; n++ {
		size := strconv.Itoa(n)
		kinds["bool["+size+"]"] = &kind{
			name: "bool[" + size + "]", goType: "[" + size + "]bool", c: "const bool* $",
			cxx: "gt::mask<" + size + ">($)", call: "(*C.bool)(&$[0])",
		}
	}
}

// kindOf returns how t crosses the boundary, or nil if it cannot.
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

// pointers says that the Go side hands over the address of Go memory.
func (k *kind) pointers() bool { return strings.Contains(k.c, "*") }

func subst(template, name string) string { return strings.ReplaceAll(template, "$", name) }
