package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var linearMembers = []member{
	{"Linear", func(p *holder) nn.Module { return nn.NewLinear(3, 2, p.As("m")) }, row},
	{"Linear/nobias", func(p *holder) nn.Module { return nn.NewLinear(3, 2, nn.Bias(true), nn.Bias(false), p.As("m")) }, row},
}

var linearElsewhere = map[string]elsewhereFunc{
	"Linear": func(d nn.Device, t nn.DType) nn.Module { return nn.NewLinear(3, 2, d, t) },
}

var shapeMembers = []member{
	{"Identity", func(p *holder) nn.Module { return nn.NewIdentity(p.As("m")) }, row},
	{"Flatten", func(p *holder) nn.Module { return nn.NewFlatten(p.As("m")) }, image},
	{"Flatten/dims", func(p *holder) nn.Module { return nn.NewFlatten(nn.StartDim(0), nn.EndDim(1), p.As("m")) }, image},
}
