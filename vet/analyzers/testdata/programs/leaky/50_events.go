// A log of events, each with its tensor.
package main

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/torch"
)

type event struct {
	when  time.Time
	what  string
	value any
}

func main() {
	var events []event
	emit := func(what string, value any) {
		events = append(events, event{time.Now(), what, value}) // want leak
	}
	w := torch.Randn(torch.Shape{64, 64}).RequiresGrad_()
	for step := 0; step < 1e6; step++ {
		y := w.Tanh()
		loss := y.Square().Mean()
		emit("activation", y) // want leak
		loss.Backward()
		emit("loss", loss.Item())
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.1)) })
		torch.ZeroGrad(w)
	}
	fmt.Println(len(events))
}
