package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKey(t *testing.T) {
	for python, name := range map[string]string{
		"cross_entropy": "CrossEntropy", "matmul": "MatMul", "add_": "Add_", "LSTM": "LSTM", "index_put_": "IndexPut_",
	} {
		assert.Equal(t, key(python), key(name))
	}
	assert.NotEqual(t, key("add"), key("add_"))
}

func TestEntries(t *testing.T) {
	list, err := entries("# a comment\n\ntorch.pi\tmath.Pi\n")
	require.NoError(t, err)
	assert.Equal(t, [][2]string{{"torch.pi", "math.Pi"}}, list)
	for _, text := range []string{"torch.pi\n", "torch.pi\t\n", "torch.pi\t  \n"} {
		_, err = entries(text)
		assert.ErrorContains(t, err, "no second column")
	}
}

func TestSectionOf(t *testing.T) {
	for name, want := range map[string][2]string{
		"torch.add":                    {"torch", "add"},
		"torch.nn.Linear":              {"torch.nn", "Linear"},
		"torch.nn.utils.prune.remove":  {"torch.nn.utils.prune", "remove"},
		"torch.optim.lr_scheduler.Foo": {"torch.optim.lr_scheduler", "Foo"},

		"torch.distributions.Distribution":          {"torch.distributions", "Distribution"},
		"torch.distributions.Distribution.cdf":      {"torch.distributions.Distribution", "cdf"},
		"torch.distributions.transforms.Transform":  {"torch.distributions.transforms", "Transform"},
		"torch.distributed.Store.add":               {"torch.distributed.Store", "add"},
		"torchvision.models.detection.ssd300_vgg16": {"torchvision.models.detection", "ssd300_vgg16"},
	} {
		s, short, err := sectionOf(name)
		require.NoError(t, err)
		assert.Equal(t, want, [2]string{s.name, short})
	}
	_, _, err := sectionOf("numpy.add")
	assert.Error(t, err)
	_, _, err = sectionOf("torch.fx.Graph.lint")
	assert.ErrorContains(t, err, "no section")
}

// A constructor such as nn.NewLinear is found under the name of its type, linear. A
// method is not found under the name of its package.
func TestLibrary(t *testing.T) {
	l, err := read("../../..")
	require.NoError(t, err)
	assert.Equal(t, "nn.NewLinear", l.names["nn."]["linear"])
	assert.Equal(t, "x.Add_", l.names["x."]["add_"])
	assert.Equal(t, "F.ReLU", l.names["F."]["relu"])
	assert.NotContains(t, l.names["nn."], "registerbuffer")
	assert.Equal(t, "d.LogProb", l.names["d."]["logprob"], "a method of an interface")
	assert.Equal(t, "constraints.UnitInterval", l.names["constraints."]["unitinterval"])
	assert.Equal(t, "models.NewResNet18", l.names["models."]["resnet18"], "of another module")
	assert.Equal(t, "autograd.Jacobian", l.names["autograd."]["jacobian"])
	assert.NotContains(t, l.names["imageops."], "jacobian")
	assert.Equal(t, "g.MonitoredBarrier", l.names["g."]["monitoredbarrier"])
	assert.NotContains(t, l.names["distributed."], "rank", "an option")
	assert.Equal(t, "MatMul", l.ops["matmul"])
	for _, option := range []string{"adjoint", "max", "threshold", "all", "gradient"} {
		assert.NotContains(t, l.names["torch."], option, "an option, or a word of an index, is not a function")
	}
}

// A Python function with several forms has several Go functions, whose comments name it.
func TestForms(t *testing.T) {
	l, err := read("../../..")
	require.NoError(t, err)
	for python, want := range map[string]string{
		"torch.normal":           "torch.Normal, torch.NormalTensor",
		"torch.Tensor.scatter_":  "x.Scatter_, x.ScatterScalar_",
		"torch.Tensor.scatter":   "x.Scatter, x.ScatterScalar",
		"torch.Tensor.random_":   "x.Random_, x.RandomRange_, x.RandomTo_",
		"torch.Tensor.transpose": "x.Transpose",
		"torch.Tensor":           "torch.Tensor",

		"torch.distributed.TCPStore":       "distributed.NewTCPStore",
		"torch.distributed.all_to_all":     "g.AllToAll",
		"torch.distributed.ReduceOp.BXOR":  "distributed.BXor",
		"torch.distributed.Store.num_keys": "store.NumKeys",

		"torchvision.models.ResNet18_Weights": "models.GetWeight, models.GetModelWeights",
	} {
		s, short, err := sectionOf(python)
		require.NoError(t, err)
		assert.Equal(t, want, l.find(s, short), python)
	}
}
