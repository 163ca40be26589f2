package twin

// Unscope is what the environment asks for.
var Unscope = unscope
