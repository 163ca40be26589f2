package main

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// state contains the cart's position and velocity, and the pole's angle and angular
// velocity. The units are meters, radians and seconds.
type state [4]float64

func (s state) float32s() []float32 {
	return []float32{float32(s[0]), float32(s[1]), float32(s[2]), float32(s[3])}
}

// cartPole is a cart on rails with a pole on it. An action pushes the cart to the left or
// to the right for a fiftieth of a second. An episode is over when the pole leans by more
// than 12 degrees, when the cart leaves the rails, or after 500 steps.
type cartPole struct {
	random *torch.Generator
	at     state
	steps  int
}

func newCartPole(seed uint64) *cartPole {
	return &cartPole{random: torch.NewGenerator(torch.CPU).ManualSeed(seed)}
}

// reset begins an episode in a random state close to rest.
func (c *cartPole) reset() state {
	drawn := torch.Rand(torch.Shape{4}, torch.Float64, c.random)
	defer drawn.Close()
	for i, v := range drawn.Float64s() {
		c.at[i] = (v - 0.5) * 0.1
	}
	c.steps = 0
	return c.at
}

const (
	gravity, force, tick       = 9.8, 10.0, 0.02
	cartMass, poleMass, length = 1.0, 0.1, 0.5 // length is half the length of the pole
)

// step pushes the cart to the right if action is 1, and to the left if it is 0.
func (c *cartPole) step(action int64) (s state, over bool) {
	push := force
	if action == 0 {
		push = -force
	}
	x, v, angle, turn := c.at[0], c.at[1], c.at[2], c.at[3]
	const mass = cartMass + poleMass
	sin, cos := sine(angle), cosine(angle)
	pull := (push + poleMass*length*turn*turn*sin) / mass
	turning := (gravity*sin - cos*pull) / (length * (4.0/3.0 - poleMass*cos*cos/mass))
	moving := pull - poleMass*length*turning*cos/mass
	c.at = state{x + tick*v, v + tick*moving, angle + tick*turn, turn + tick*turning}
	c.steps++
	return c.at, math.Abs(c.at[0]) > 2.4 || math.Abs(c.at[2]) > 12*math.Pi/180 || c.steps == 500
}

// sine and cosine are polynomials, with errors below 1e-12 for angles up to 15 degrees.
// They return the same bits as in Python, unlike the functions of math libraries.
func sine(x float64) float64 {
	q := x * x
	return x * (1 - q/6*(1-q/20*(1-q/42*(1-q/72))))
}

func cosine(x float64) float64 {
	q := x * x
	return 1 - q/2*(1-q/12*(1-q/30*(1-q/56*(1-q/90))))
}
