package jit_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
)

// Example runs a network that was scripted in Python.
func Example() {
	model, err := jit.Load("testdata/goldens/mlp_scripted.pt", jit.MapLocation(torch.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	model.Eval()
	torch.NoGrad(func() {
		torch.Scope(func() {
			fmt.Println(model.Forward(torch.Ones(torch.Shape{2, 4})).Shape())
		})
	})
	fmt.Println(model)
	// Output:
	// (2, 3)
	// RecursiveScriptModule(
	//   original_name=MLP
	//   (fc1): RecursiveScriptModule(original_name=Linear)
	//   (drop): RecursiveScriptModule(original_name=Dropout)
	//   (fc2): RecursiveScriptModule(original_name=Linear)
	// )
}

// Methods may also take and return values that are not tensors.
func ExampleModule_RunMethod() {
	model, err := jit.Load("testdata/goldens/values.pt")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	fmt.Println(model.RunMethod("same_strings", []string{"a", "b"}))
	fmt.Println(model.RunMethod("same_int_dict", map[int][]string{2: {"two"}, 1: nil}))
	fmt.Println(model.RunMethod("same_number", 2, jit.Kwargs{"plus": 0.25}))
	// Output:
	// [a b]
	// {1: [], 2: ['two']}
	// 6.25
}

// A batch with the wrong shape gives an error whose Trace contains the script's stack.
func ExampleModule_Forward() {
	model, err := jit.Load("testdata/goldens/mlp_scripted.pt")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	err = torch.Try(func() { model.Forward(torch.Ones(torch.Shape{2, 5})) })
	var e *torch.Error
	if errors.As(err, &e) {
		fmt.Println(errors.Is(e, torch.ErrShape), e.Args)
		fmt.Println(strings.Contains(e.Trace(), "torch.linear(input, weight, bias)"), "// the script's stack")
	}
	// Output:
	// true [input: float32 (2, 5) cpu]
	// true // the script's stack
}
