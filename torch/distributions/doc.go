// Package distributions has probability distributions with samples, densities and
// gradients, as torch.distributions in Python: for policies of reinforcement learning,
// variational autoencoders, and models of noise.
//
//	d := distributions.NewNormal(mean, std)   // tensors or numbers, which broadcast
//	x := d.Sample()                           // no gradients
//	z := d.RSample(distributions.SampleShape{8}) // eight samples, gradients to mean and std
//	loss := d.LogProb(x).Neg().Mean()
//
// # Shapes
//
// A distribution is a batch of independent ones. Its parameters broadcast to BatchShape; one
// draw of one of them has EventShape, () for numbers and (n) for vectors. A sample has the
// shape of the option [SampleShape], then BatchShape, then EventShape, and LogProb of it lacks
// the dimensions of the event:
//
//	             parameters  BatchShape  EventShape  Sample(SampleShape{5})  LogProb of it
//	Normal       (2, 3)      (2, 3)      ()          (5, 2, 3)               (5, 2, 3)
//	Categorical  (2, 3)      (2,)        ()          (5, 2)                  (5, 2)
//	Dirichlet    (2, 3)      (2,)        (3,)        (5, 2, 3)               (5, 2)
//
// # Gradients
//
// There are two ways to differentiate what is expected of a sample. Where HasRSample is true,
// RSample computes the sample from noise and the parameters, and gradients flow through it.
// Elsewhere, as for [Categorical], multiply LogProb of a sample by the reward; the example of
// Categorical does (REINFORCE). Sample never has gradients.
//
// # Distributions of distributions
//
// [TransformedDistribution] sends the samples of a distribution through a [Transform], with
// the density that follows; many of this package are one, as [LogNormal]. [Independent] makes
// dimensions of the batch part of the event, and [MixtureSameFamily] draws from one of a batch.
// [BijectTo] and [TransformTo] turn the region of a parameter, one of package constraints, into
// a transform from unbounded numbers, which an optimizer may move. [KLDivergence] compares
// two distributions.
//
// # Random numbers
//
// Samples come from the default generator, which [torch.ManualSeed] seeds and
// [torch.WithGenerator] replaces. The same operators are called in the same order as in
// Python, so that the same seed draws the same numbers.
//
// # Ownership
//
// A constructor takes tensors as they are: they stay the caller's, and have to be open while
// the distribution is used. What it makes itself, of numbers and by broadcasting, belongs to
// the innermost scope, else to the collector, and Close frees it. So a distribution of a
// training step needs no Close inside the step's scope, and ends with it; one that lives longer
// is made outside. Probabilities computed from log odds, log odds from probabilities, and the
// other forms of a covariance are computed at their first use, with gradients even inside
// torch.NoGrad, and kept, as in Python. They belong to the same scope as what the constructor
// made; those that another goroutine asks for first belong to the collector. Parameters are
// read by methods of their names, Loc or Probs; these return the distribution's tensor, not a
// new one. All other methods return new tensors, and free what they needed on the way.
// Expand shares memory.
//
// Several goroutines may use a distribution at once, until one closes it.
//
// # Checks
//
// Constructors check that parameters satisfy their constraints, and LogProb and CDF that
// values lie in the support; they say which, of which distribution, and print the tensor. That
// reads a number from the device: [ValidateArgs](false) does without, and
// [SetDefaultValidateArgs] for the process. Methods of a nil pointer that a distribution
// shares with all others, such as BatchShape, panic as Go does.
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
// Three things differ. String prints the parameters that were given, and never what was
// computed of them. A distribution that is made of another one, as [StudentT] is of [Chi2],
// passes ValidateArgs on to it. And Entropy of a [Multinomial] works after Expand too.
package distributions
