// Package distributions provides probability distributions with samples, densities and
// gradients, like torch.distributions in Python: for policies in reinforcement learning,
// variational autoencoders, and noise models.
//
//	d := distributions.NewNormal(mean, std)   // tensors or numbers, which broadcast
//	x := d.Sample()                           // no gradients
//	z := d.RSample(distributions.SampleShape{8}) // eight samples, gradients to mean and std
//	loss := d.LogProb(x).Neg().Mean()
//
// # Shapes
//
// A Distribution is a batch of independent distributions. Its parameters broadcast to
// BatchShape. A sample of one of these has EventShape, which is () for numbers and (n)
// for vectors. The result of Sample has the shape of [SampleShape], then BatchShape, then
// EventShape. LogProb of a sample lacks the dimensions of the event:
//
//	             parameters  BatchShape  EventShape  Sample(SampleShape{5})  LogProb of it
//	Normal       (2, 3)      (2, 3)      ()          (5, 2, 3)               (5, 2, 3)
//	Categorical  (2, 3)      (2,)        ()          (5, 2)                  (5, 2)
//	Dirichlet    (2, 3)      (2,)        (3,)        (5, 2, 3)               (5, 2)
//
// # Gradients
//
// There are two ways to differentiate an expectation over samples. If HasRSample is true,
// RSample computes the sample from noise and the parameters, and gradients flow through
// it. Otherwise, as for [Categorical], multiply the LogProb of a sample by the reward
// (REINFORCE); see the example of Categorical. Sample never has gradients.
//
// # Composed distributions
//
// [TransformedDistribution] applies a [Transform] to the samples of a distribution and
// computes the resulting density. Several distributions of this package, such as
// [LogNormal], are transformed distributions. [Independent] makes batch dimensions part
// of the event, and [MixtureSameFamily] draws from a mixture of the distributions in a
// batch. [BijectTo] and [TransformTo] turn the region of a parameter, from package
// constraints, into a transform from unconstrained numbers, for optimizers.
// [KLDivergence] compares two distributions.
//
// # Random numbers
//
// Samples are drawn from the default generator, which [torch.ManualSeed] seeds and
// [torch.WithGenerator] replaces. gotorch calls the same operators in the same order as
// Python, so the same seed draws the same numbers.
//
// # Ownership
//
// A constructor uses tensors as they are: the caller owns them, and must keep them open
// while the distribution is used. Tensors that the constructor makes, from numbers and by
// broadcasting, belong to the innermost scope or else to the garbage collector, and Close
// frees them. A distribution that is made inside a training step's scope therefore needs
// no Close. Make a distribution that lives longer outside of the scope.
//
// Some values are computed on first use and kept, as in Python: probabilities from log
// odds, log odds from probabilities, and the other forms of a covariance. They have
// gradients even inside torch.NoGrad. They belong to the same scope as the constructor's
// tensors; if another goroutine uses them first, they belong to the garbage collector.
// Methods named after parameters, such as Loc or Probs, return the distribution's or the
// caller's tensor: do not close it. All other methods return new tensors, and free their
// temporaries.
//
// Several goroutines may use a distribution at once, until one closes it.
//
// # Checks
//
// Constructors check that parameters satisfy their constraints; LogProb and CDF check
// that values are in the support. Errors name the distribution and the argument, and
// print the tensor. A check reads from the device: [ValidateArgs](false) disables it, and
// [SetDefaultValidateArgs] sets the default for the process. Some methods of a nil
// pointer, such as BatchShape, panic as Go does.
//
// # Python and Go
//
//	Python                               Go
//	Normal(loc, scale)                   NewNormal(loc, scale)
//	Bernoulli(probs=p)                   NewBernoulli(Probs(p))
//	Categorical(logits=x)                NewCategorical(Logits(x))
//	Binomial(10, probs=p)                NewBinomial(10, Probs(p))
//	StudentT(df)                         NewStudentT(df, 0, 1)
//	validate_args=False                  ValidateArgs(false)
//	d.batch_shape, d.event_shape         d.BatchShape(), d.EventShape()
//	d.sample((3,)), d.rsample()          d.Sample(SampleShape{3}), d.RSample()
//	d.log_prob(x), d.cdf(x), d.icdf(q)   d.LogProb(x), d.CDF(x), d.ICDF(q)
//	d.mean, d.stddev, d.variance         d.Mean(), d.StdDev(), d.Variance()
//	d.entropy(), d.perplexity()          d.Entropy(), d.Perplexity()
//	d.enumerate_support(expand=False)    d.EnumerateSupport(Expand(false))
//	d.expand((2,))                       d.Expand(torch.Shape{2})
//	d.has_rsample, d.support             d.HasRSample(), d.Support()
//	d.arg_constraints["scale"]           d.ArgConstraints()["scale"]
//	kl_divergence(p, q)                  KLDivergence(p, q)
//	biject_to(constraints.positive)      BijectTo(constraints.Positive)
//
// There are three differences. String prints only the parameters that were passed, never
// computed ones. A distribution that is built from another one, as [StudentT] is from
// [Chi2], passes ValidateArgs on to it. Entropy of a [Multinomial] works after Expand
// too.
package distributions
