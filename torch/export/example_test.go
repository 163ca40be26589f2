package export_test

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
)

func Example() {
	m, err := export.Load("testdata/mlp.pt2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	x := torch.Ones(torch.Shape{8, 4})
	fmt.Println(m.Forward(x).Shape())
	for _, p := range m.NamedParameters() {
		fmt.Println(p.Name, p.Tensor.Shape())
	}

	opt := optim.NewSGD(m.Parameters(), optim.LR(0.1))
	defer opt.Close()
	before := m.Forward(x).Square().Mean()
	before.Backward()
	opt.Step()
	fmt.Println(m.Forward(x).Square().Mean().Item() < before.Item())
	// Output:
	// (8, 3)
	// fc1.weight (8, 4)
	// fc1.bias (8,)
	// fc2.weight (3, 8)
	// fc2.bias (3,)
	// true
}

func ExampleModule_Run() {
	m, err := export.Load("testdata/structures.pt2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	one := torch.Ones(torch.Shape{1})
	// In Python: m((a, b), named={"x": c, "list": [d, e]}, scale=3, flag=True)
	out := m.Run(
		[]*torch.Tensor{torch.Ones(torch.Shape{2, 3}), torch.Ones(torch.Shape{2})},
		export.Kwargs{
			"named": map[string]any{
				"x": torch.Ones(torch.Shape{2, 3}), "list": []*torch.Tensor{torch.Ones(torch.Shape{2, 3}), one},
			},
			"scale": 3, "flag": true,
		})
	fmt.Println(out.(export.Tuple)[0])
	// Output:
	// tensor([[3., 3., 3.],
	//         [3., 3., 3.]])
}

func ExampleNewDict() {
	d := export.NewDict("scale", 2, "flag", true) // an argument {"scale": 2, "flag": True}
	fmt.Println(d)
	// Output:
	// {'scale': 2, 'flag': True}
}
