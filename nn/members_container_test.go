package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var containerMembers = []member{
	{
		"Sequential", "nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU(), nn.Flatten()))",
		func(p *holder) nn.Module {
			return nn.NewSequential(nn.NewLinear(3, 2), nn.NewSequential(nn.NewReLU(), nn.NewFlatten())).In(p, "m")
		}, row,
	},
	{"Sequential/empty", "nn.Sequential()", func(p *holder) nn.Module { return nn.NewSequential().In(p, "m") }, row},
	{"ModuleList", "nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(3, 2), nn.ReLU()])", func(p *holder) nn.Module {
		return nn.NewModuleList(nn.NewReLU(), nn.NewReLU(), nn.NewLinear(3, 2), nn.NewReLU()).In(p, "m")
	}, nil},
	{
		"ModuleList/nested",
		"nn.ModuleList([nn.Sequential(nn.ReLU(), nn.Tanh()), nn.Sequential(nn.ReLU(), nn.Tanh())])",
		func(p *holder) nn.Module {
			block := func() nn.Module { return nn.NewSequential(nn.NewReLU(), nn.NewTanh()) }
			return nn.NewModuleList(block(), block()).In(p, "m")
		}, nil,
	},
	{"ModuleDict", "nn.ModuleDict(dict(b=nn.ReLU(), a=nn.Linear(3, 2)))", func(p *holder) nn.Module {
		return nn.NewModuleDict().Add("b", nn.NewReLU()).Add("a", nn.NewLinear(3, 2)).In(p, "m")
	}, nil},
	{"ParameterList", "nn.ParameterList([torch.zeros(2, 3), torch.zeros(())])", func(p *holder) nn.Module {
		return nn.NewParameterList(torch.Zeros(torch.Shape{2, 3}), torch.Zeros(torch.Shape{})).In(p, "m")
	}, nil},
	{"ParameterDict", "nn.ParameterDict(dict(a=torch.zeros(2), b=torch.zeros(2, 3)))", func(p *holder) nn.Module {
		return nn.NewParameterDict().Add("a", torch.Zeros(torch.Shape{2})).Add("b",
			torch.Zeros(torch.Shape{2, 3})).In(p, "m")
	}, nil},
	{
		"ParameterDict/empty", "nn.ParameterDict()",
		func(p *holder) nn.Module { return nn.NewParameterDict().In(p, "m") }, nil,
	},
	{
		"ParameterList/one", "nn.ParameterList([torch.zeros(2)])",
		func(p *holder) nn.Module { return nn.NewParameterList(torch.Zeros(torch.Shape{2})).In(p, "m") }, nil,
	},
}
