"""Packages of tests end the stack that they share when their last test is over; other folders need no such file."""
