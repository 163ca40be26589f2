package useafterclose

import "github.com/gotorch/gotorch/torch"

func intended() float64 {
	x := torch.Rand(2)
	_ = x.Close()
	_ = x.Add(x)    //torchvet:ignore useafterclose both reports of this line
	return x.Item() // want `x is used after its Close`
}
