package harness

import (
	"os"
	"path/filepath"
)

// aoti measures forward passes of AOTInductor packages on one thread: a small network on
// a batch of 16, and a ResNet-18 on one image of 224 by 224. They are compared with
// Python running the same packages, and with the same models built from layers in Go.
// Python compiles the packages before the first run, which takes a minute or two.
func aoti() Group {
	const mlp, resnet = 20000, 10
	return Group{
		Measures: []Measure{
			{ID: "mlp", By: "aoti_ours", Case: "aoti.mlp", Iterations: mlp},
			{ID: "mlp_python", By: "aoti_python", Case: "aoti.mlp", Iterations: mlp},
			{ID: "mlp_eager", By: "aoti_ours", Case: "aoti.mlp", Iterations: mlp, Args: []string{"eager=1"}},
			{ID: "resnet", By: "aoti_ours", Case: "aoti.resnet18", Iterations: resnet},
			{ID: "resnet_python", By: "aoti_python", Case: "aoti.resnet18", Iterations: resnet},
			{ID: "resnet_eager", By: "aoti_ours", Case: "aoti.resnet18", Iterations: resnet, Args: []string{"eager=1"}},
		},
		Rows: []Row{
			{"aoti.mlp.python", "ns", time("mlp"), time("mlp_python"), pythonName},
			{"aoti.mlp.eager", "ns", time("mlp"), time("mlp_eager"), "layers, in Go"},
			{"aoti.resnet18.python", "ns", time("resnet"), time("resnet_python"), pythonName},
			{"aoti.resnet18.eager", "ns", time("resnet"), time("resnet_eager"), "layers, in Go"},
		},
	}
}

// prepareAOTI lets Python compile the packages that are missing, and tells the contestant
// where the packages are.
func prepareAOTI(b *Toolbox, contestant func(*Toolbox) (command, error)) (command, error) {
	python, err := b.Python()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.build, "aoti")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	if _, err := b.output(python, b.path("bench/python/aoti.py"), folder); err != nil {
		return nil, err
	}
	start, err := contestant(b)
	if err != nil {
		return nil, err
	}
	return start.with("GOTORCH_BENCH_AOTI=" + folder), nil
}
