import React from 'react';

type Props = { name: string };

export const Page: React.FC<Props> = ({ name }) => {
  const [x, setX] = useState<number>(0);
  const onClick = useCallback(() => {
    setX(1);
  }, []);

  return (
    <div onClick={() => setX(2)}>
      {name}
    </div>
  );
};

export default function Layout({ children }: { children: React.ReactNode }) {
  function inner<T,>(x: T) {
    return x;
  }
  return <main>{children}</main>;
}
