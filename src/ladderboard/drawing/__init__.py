"""What every picture is made of: elements, scales, rank whiskers, slopes and the look that they share."""
