"""What every page uses: rendering, forms, paging and error pages."""
