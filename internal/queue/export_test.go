package queue

// Seal makes the stored form of a config value for tests outside the package.
var Seal = seal
