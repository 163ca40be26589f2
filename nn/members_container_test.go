package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var containerMembers = []member{
	{"Sequential", func(p *holder) nn.Module {
		return nn.NewSequential(nn.NewLinear(3, 2), nn.NewSequential(nn.NewReLU(), nn.NewFlatten())).In(p, "m")
	}, row},
	{"Sequential/empty", func(p *holder) nn.Module { return nn.NewSequential().In(p, "m") }, row},
	{"ModuleList", func(p *holder) nn.Module {
		return nn.NewModuleList(nn.NewReLU(), nn.NewReLU(), nn.NewLinear(3, 2), nn.NewReLU()).In(p, "m")
	}, nil},
	{"ModuleList/nested", func(p *holder) nn.Module {
		block := func() nn.Module { return nn.NewSequential(nn.NewReLU(), nn.NewTanh()) }
		return nn.NewModuleList(block(), block()).In(p, "m")
	}, nil},
	{"ModuleDict", func(p *holder) nn.Module {
		return nn.NewModuleDict().Add("b", nn.NewReLU()).Add("a", nn.NewLinear(3, 2)).In(p, "m")
	}, nil},
	{"ParameterList", func(p *holder) nn.Module {
		return nn.NewParameterList(torch.Zeros(torch.Shape{2, 3}), torch.Zeros(torch.Shape{})).In(p, "m")
	}, nil},
	{"ParameterDict", func(p *holder) nn.Module {
		return nn.NewParameterDict().Add("a", torch.Zeros(torch.Shape{2})).Add("b",
			torch.Zeros(torch.Shape{2, 3})).In(p, "m")
	}, nil},
	{"ParameterDict/empty", func(p *holder) nn.Module { return nn.NewParameterDict().In(p, "m") }, nil},
	{"ParameterList/one", func(p *holder) nn.Module {
		return nn.NewParameterList(torch.Zeros(torch.Shape{2})).In(p, "m")
	}, nil},
}
