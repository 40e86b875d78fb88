include "../include-circle.tcc"
