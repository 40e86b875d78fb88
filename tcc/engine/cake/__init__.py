"""CAKE and cake_mq, bit for bit as the kernel has them."""
