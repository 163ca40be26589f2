package claims

import "github.com/gotorch/gotorch/torch"

var explicitCleanup = Claim{
	Name: "claim.explicit_cleanup_percent",
	Says: "Explicit cleanup costs 2 to 5 %",
	Measured: "processor time of a training loop with a scope or Close in each step, above that of one left to the " +
		"collector",
	Unit:  "%",
	Range: Range{2, 5},
	measure: func(s *sheet) {
		s.manyRounds()
		for _, c := range []struct {
			make  func(batch int64) *training
			batch int64
			steps int64
		}{
			{convNet, 64, 10},
			{layersMLP, 16, 500},
			{operatorMLP, 256, 40},
		} {
			t := c.make(s.pick(c.batch, 4))
			steps := s.pick(c.steps, 4)
			r := s.alternate(times(steps, t.step), times(steps, scoped(t.step)), times(steps, t.stepClosing))
			s.note(t.name+": time per step, left to the collector", r[0].time()/float64(steps), "ns")
			s.judge(t.name+": one scope per step", r[1].slower(r[0]))
			s.note(t.name+": one scope per step, by the clock", r[1].slowerOnTheWall(r[0]), "%")
			// The program has no variables for some temporaries of the MLP of operators,
			// so it cannot close them by hand.
			if t.name != "MLP of operators" {
				s.judge(t.name+": Close by hand", r[2].slower(r[0]))
				s.note(t.name+": Close by hand, by the clock", r[2].slowerOnTheWall(r[0]), "%")
			}
			t.Close()
		}
	},
}

var peakReduction = Claim{
	Name:     "claim.peak_reduction_percent",
	Says:     "With explicit cleanup the peak falls by 40 to 60 %",
	Measured: "peak of live bytes with one scope per step, below that of a loop left to the collector",
	Unit:     "%",
	Range:    Range{40, 60},
	measure: func(s *sheet) {
		for _, c := range []struct {
			what  string
			make  func(batch int64) *training
			batch int64
			steps int64
		}{
			{"batch 64", convNet, 64, 20},
			{"batch 512", convNet, 512, 6},
			{"batch 64", operatorMLP, 64, 200},
			{"batch 1024", operatorMLP, 1024, 20},
			{"batch 8192", operatorMLP, 8192, 5},
		} {
			if s.quick && c.batch > 64 {
				continue
			}
			t := c.make(c.batch)
			steps := s.pick(c.steps, 3)
			s.falls(t.name+", "+c.what, times(steps, t.step), times(steps, scoped(t.step)))
			t.Close()
		}
		t := operatorMLP(s.pick(1024, 4))
		defer t.Close()
		infer := func() { torch.NoGrad(func() { t.forward(t.x) }) }
		steps := s.pick(50, 3)
		s.falls(t.name+", inference, batch 1024", times(steps, infer), times(steps, scoped(infer)))
	},
}

func (s *sheet) falls(what string, collected, explicit func()) {
	r := s.alternate(collected, explicit)
	s.judge(what, -percent(r[1].peakBytes()/r[0].peakBytes()))
	s.note(what+": peak left to the collector", r[0].peakBytes(), "bytes")
	s.note(what+": peak with one scope per step", r[1].peakBytes(), "bytes")
}
