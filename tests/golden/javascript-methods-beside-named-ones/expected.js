class Vector {

	constructor( x, y ) {

		this.x = x;
		this.y = y;

	}

	add( v ) {

		this.x += v.x;
		this.y += v.y;

		return this;

	}

	sub( v ) {

		this.x -= v.x;
		this.y -= v.y;

		return this;

	}

	length() {

		return Math.hypot( this.x, this.y );

	}

	normalize() {

		return this.scale( 1 / this.length() );

	}

}

export { Vector };
