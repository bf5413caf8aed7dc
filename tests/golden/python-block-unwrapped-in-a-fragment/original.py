class Config(Base):
    def __post_init__(self, **kwargs):
        if self.num_heads is None:
            self.num_heads = self.num_layers

        if self.head_size is None:
            self.head_size = self.inner_size + self.outer_size

        super().__post_init__(**kwargs)


__all__ = ["Config"]
