package serialization_test

import (
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// These are the optimizers, schedulers and averages of testdata/resume.py, under the same
// names.

type params = []*torch.Tensor

var resumeOptimizers = map[string]func(ps params) optim.Optimizer{
	"SGD":       func(ps params) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9)) },
	"SGD/plain": func(ps params) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1)) },
	"SGD/groups": func(ps params) optim.Optimizer {
		o := optim.NewSGD(ps[:1], optim.LR(0.1), optim.Momentum(0.9), optim.Nesterov(true))
		o.AddParamGroup(ps[1:], optim.LR(0.05), optim.WeightDecay(0.1))
		return o
	},
	"SGD/names":   func(ps params) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9)) },
	"Adam":        func(ps params) optim.Optimizer { return optim.NewAdam(ps, optim.LR(0.1), optim.AMSGrad(true)) },
	"Adam/tensor": func(ps params) optim.Optimizer { return optim.NewAdam(ps, optim.LR(0.125)) },
	"AdamW":       func(ps params) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.1)) },
	"RMSprop": func(ps params) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.LR(0.1), optim.Momentum(0.5), optim.Centered(true))
	},
	"Adagrad":    func(ps params) optim.Optimizer { return optim.NewAdagrad(ps, optim.LR(0.1), optim.LRDecay(0.1)) },
	"Adadelta":   func(ps params) optim.Optimizer { return optim.NewAdadelta(ps, optim.LR(0.5)) },
	"Adamax":     func(ps params) optim.Optimizer { return optim.NewAdamax(ps, optim.LR(0.1)) },
	"NAdam":      func(ps params) optim.Optimizer { return optim.NewNAdam(ps, optim.LR(0.1)) },
	"RAdam":      func(ps params) optim.Optimizer { return optim.NewRAdam(ps, optim.LR(0.1)) },
	"Rprop":      func(ps params) optim.Optimizer { return optim.NewRprop(ps, optim.LR(0.1)) },
	"ASGD":       func(ps params) optim.Optimizer { return optim.NewASGD(ps, optim.LR(0.1), optim.T0(2.5)) },
	"SparseAdam": func(ps params) optim.Optimizer { return optim.NewSparseAdam(ps, optim.LR(0.1)) },
	"Adafactor":  func(ps params) optim.Optimizer { return optim.NewAdafactor(ps, optim.LR(0.1)) },
	"Adafactor/eps": func(ps params) optim.Optimizer {
		return optim.NewAdafactor(ps, optim.LR(0.1), optim.EpsPair(1e-30, 1e-3))
	},
	"Muon":  func(ps params) optim.Optimizer { return optim.NewMuon(ps, optim.LR(0.1)) },
	"LBFGS": func(ps params) optim.Optimizer { return optim.NewLBFGS(ps, optim.LR(0.5), optim.MaxIter(3)) },
	"LBFGS/wolfe": func(ps params) optim.Optimizer {
		return optim.NewLBFGS(ps, optim.MaxIter(2), optim.LineSearchFnStrongWolfe)
	},
}

// resumeSchedulers are functions that make a scheduler. If again is true, they make it
// with different settings, which loading a state must replace.
var resumeSchedulers = map[string]func(o optim.Optimizer, again bool) schedule.Scheduler{
	"LambdaLR": func(o optim.Optimizer, _ bool) schedule.Scheduler {
		return schedule.NewLambdaLR(o, func(e int) float64 { return 1 / float64(e+1) })
	},
	"MultiplicativeLR": func(o optim.Optimizer, _ bool) schedule.Scheduler {
		return schedule.NewMultiplicativeLR(o, func(e int) float64 { return 1 - 0.1/float64(e+1) })
	},
	"StepLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewStepLR(o, 2)
		}
		return schedule.NewStepLR(o, 4, schedule.Gamma(0.5))
	},
	"MultiStepLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewMultiStepLR(o, []int{1})
		}
		return schedule.NewMultiStepLR(o, []int{2, 5, 5, 7}, schedule.Gamma(0.3))
	},
	"ConstantLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewConstantLR(o)
		}
		return schedule.NewConstantLR(o, schedule.Factor(0.25), schedule.TotalIters(6))
	},
	"LinearLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewLinearLR(o)
		}
		return schedule.NewLinearLR(o, schedule.StartFactor(0.1), schedule.EndFactor(0.8), schedule.TotalIters(7))
	},
	"ExponentialLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewExponentialLR(o, 0.5)
		}
		return schedule.NewExponentialLR(o, 0.9)
	},
	"SequentialLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewSequentialLR(o,
				[]schedule.Scheduler{schedule.NewLinearLR(o), schedule.NewMultiStepLR(o, []int{3})}, []int{2})
		}
		warm := schedule.NewLinearLR(o, schedule.StartFactor(0.1), schedule.EndFactor(1), schedule.TotalIters(5))
		return schedule.NewSequentialLR(o,
			[]schedule.Scheduler{warm, schedule.NewMultiStepLR(o, []int{1, 2}, schedule.Gamma(0.5))}, []int{4})
	},
	"PolynomialLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewPolynomialLR(o)
		}
		return schedule.NewPolynomialLR(o, schedule.TotalIters(20), schedule.Power(0.9))
	},
	"CosineAnnealingLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewCosineAnnealingLR(o, 10)
		}
		return schedule.NewCosineAnnealingLR(o, 7, schedule.EtaMin(0.001))
	},
	"ChainedScheduler": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewChainedScheduler([]schedule.Scheduler{
				schedule.NewConstantLR(o),
				schedule.NewExponentialLR(o, 0.5),
			})
		}
		return schedule.NewChainedScheduler([]schedule.Scheduler{schedule.NewConstantLR(o, schedule.Factor(0.1),
			schedule.TotalIters(4)), schedule.NewExponentialLR(o, 0.9)})
	},
	"ReduceLROnPlateau": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewReduceLROnPlateau(o, schedule.ModeMax)
		}
		return schedule.NewReduceLROnPlateau(o, schedule.Patience(1), schedule.Factor(0.5), schedule.Cooldown(1),
			schedule.MinLR(0.01))
	},
	"ReduceLROnPlateau/groups": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewReduceLROnPlateau(o)
		}
		return schedule.NewReduceLROnPlateau(o, schedule.Patience(0), schedule.Factor(0.5), schedule.MinLRs{0.02, 0.01})
	},
	"CyclicLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewCyclicLR(o, 0.1, 0.2, schedule.StepSizeUp(2))
		}
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(3), schedule.StepSizeDown(5),
			schedule.CyclicModeTriangular2, schedule.BaseMomentum(0.7), schedule.MaxMomentum(0.95))
	},
	"CyclicLR/plain": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewCyclicLR(o, 0.1, 0.2, schedule.StepSizeUp(2), schedule.CycleMomentum(false))
		}
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(4), schedule.CycleMomentum(false))
	},
	"CosineAnnealingWarmRestarts": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewCosineAnnealingWarmRestarts(o, 4)
		}
		return schedule.NewCosineAnnealingWarmRestarts(o, 3, schedule.TMult(2), schedule.EtaMin(0.002))
	},
	"OneCycleLR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewOneCycleLR(o, 0.1, schedule.TotalSteps(30), schedule.PctStart(0.4),
				schedule.AnnealStrategyLinear)
		}
		return schedule.NewOneCycleLR(o, 0.5, schedule.TotalSteps(12))
	},
	"OneCycleLR/three": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return schedule.NewOneCycleLR(o, 0.1, schedule.TotalSteps(30), schedule.CycleMomentum(false))
		}
		return schedule.NewOneCycleLR(o, 0.5, schedule.TotalSteps(12), schedule.ThreePhase(true),
			schedule.AnnealStrategyLinear, schedule.CycleMomentum(false))
	},
	"SWALR": func(o optim.Optimizer, again bool) schedule.Scheduler {
		if again {
			return swa.NewSWALR(o, 0.1)
		}
		return swa.NewSWALR(o, 0.02, schedule.AnnealEpochs(7), schedule.AnnealStrategyLinear)
	},
}

func resumeParams() params {
	return params{
		torch.FromSliceWith([]float32{1, -2, 0.5, 3, -1.5, 0.25}, torch.Shape{3, 2}, torch.RequiresGrad(true)),
		torch.FromSliceWith([]float32{2, 1, -1, 0.5}, torch.Shape{2, 2}, torch.RequiresGrad(true)),
	}
}

// resumeTrain takes three optimizer steps.
func resumeTrain(name string, ps params, o optim.Optimizer) {
	closure := func() *torch.Tensor {
		o.ZeroGrad()
		loss := torch.Zeros(torch.Shape{})
		for _, p := range ps {
			loss = loss.Add(p.PowScalar(4).Sum().MulScalar(0.02).Add(p.SubScalar(1).PowScalar(2).Sum()))
		}
		loss.Backward()
		return loss
	}
	for range 3 {
		torch.Scope(func() {
			if l, ok := o.(*optim.LBFGS); ok {
				l.StepClosure(closure)
				return
			}
			closure()
			if name == "SparseAdam" {
				for _, p := range ps {
					p.SetGrad(p.Grad().ToSparse(torch.DenseDim(1)))
				}
			}
			o.Step()
		})
	}
}

func resumeGroups() optim.Optimizer {
	o := optim.NewSGD(params{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(0.1), optim.Momentum(0.9))
	o.AddParamGroup(params{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(0.05))
	return o
}

// resumeCourse takes the steps from begin to end with a scheduler. It returns the learning
// rates and the momentum after each step.
func resumeCourse(name string, o optim.Optimizer, s schedule.Scheduler, begin, end int) (rows [][]float64) {
	losses := []float64{1, 0.9, 0.95, 0.9, 0.9, 0.85, 0.86, 0.9, 0.9, 0.84}
	for i := begin; i < end; i++ {
		o.Step()
		if strings.HasPrefix(name, "Reduce") {
			s.Step(losses[i])
		} else {
			s.Step()
		}
		g := o.ParamGroups()
		rows = append(rows, []float64{g[0].LR(), g[1].LR(), g[0].Momentum()})
	}
	return rows
}

// resumeAverage adds a model to an average for each step from begin to end.
func resumeAverage(a *swa.AveragedModel, begin, end int) {
	for i := begin; i < end; i++ {
		torch.Scope(func() {
			model := nn.NewLinear(3, 2)
			defer func() { _ = model.Close() }()
			for n, p := range model.Parameters() {
				torch.NoGrad(func() {
					p.Copy_(torch.Arange(0, float64(p.Numel()), 1,
						torch.Float32).Reshape(p.Shape()...).DivScalar(float64(n + 2)).AddScalar(float64(i)))
				})
			}
			a.UpdateParameters(model)
		})
	}
}

// resumeScale takes three steps with a gradient scaler.
func resumeScale(s *amp.GradScaler) {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		o := optim.NewSGD(params{w}, optim.LR(0.1))
		defer func() { _ = o.Close() }()
		for range 3 {
			s.Scale(w.Sum()).Backward()
			s.Step(o)
			s.Update()
		}
	})
}
